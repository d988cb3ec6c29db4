package campaignfile_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Every missing file is reported with the line of its reference.
func TestCheckFiles(t *testing.T) {
	const more = `hero_image: /assets/hero.jpg
hero_video: https://example.com/film.mp4
creator_image: /assets/gone/us.jpg
long_content:
  - {type: video, src: /assets/film.mp4}
  - {type: gallery, images: [{src: /assets/hero.jpg, alt: A}, {src: /assets/two.jpg, alt: B}]}
  - type: text
    text: |
      ![A plan](/assets/plan.svg)
tiers: [{name: A, price: 1, image: /assets}]
`
	files := repository(map[string]string{
		"campaigns/a.md": string(file(more)) + "![A map](/assets/map.png)\n",
		"add-ons.yml":    "products:\n  - {name: A, price: 1, image: /assets/pin.png}\n",
	})
	files["assets/hero.jpg"] = &fstest.MapFile{}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	want := `add-ons.yml:2: products[0].image: there is no file /assets/pin.png in the content repository
campaigns/a.md:8: creator_image: there is no file /assets/gone/us.jpg in the content repository
campaigns/a.md:10: long_content[0].src: there is no file /assets/film.mp4 in the content repository
campaigns/a.md:11: long_content[1].images[1].src: there is no file /assets/two.jpg in the content repository
campaigns/a.md:13: long_content[2].text: there is no file /assets/plan.svg in the content repository
campaigns/a.md:15: tiers[0].image: /assets is a folder: name a file in it
campaigns/a.md:17: body: there is no file /assets/map.png in the content repository`
	err = catalogue.CheckFiles(files)
	if err == nil {
		t.Fatal("no file was reported missing")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"pin.png", "gone/us.jpg", "film.mp4", "two.jpg", "plan.svg", "map.png"} {
		files["assets/"+name] = &fstest.MapFile{}
	}
	if err := catalogue.CheckFiles(files); err == nil ||
		cmp.Diff("campaigns/a.md:15: tiers[0].image: /assets is a folder: name a file in it", err.Error()) != "" {
		t.Error(err)
	}
}
