package campaignfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Proves CAM-28, CAM-30, CAM-32.
func TestParse_Blocks(t *testing.T) {
	c := parse(t, file(`diary:
  - date: 2026-11-03
    title: Open
    content:
      - {type: text, text: A *film*}
      - {type: quote, text: Come, attribution: Ada}
      - {type: image, src: /a.jpg, alt: A boat, caption: At night}
      - {type: gallery, caption: Two, images: [{src: /b.jpg, alt: ""}, {src: /c.jpg, alt: A bell}]}
      - {type: video, src: /d.mp4, title: Trailer, caption: Short, poster: /d.jpg}
      - {type: audio, src: /e.mp3, title: Song, caption: Long}
      - {type: embed, url: "https://vimeo.com/123456789", title: Film, caption: Whole}
      - {type: divider}
`))
	want := []campaign.Block{
		{Type: campaign.TextBlock, Text: "A *film*"},
		{Type: campaign.QuoteBlock, Text: "Come", Attribution: "Ada"},
		{Type: campaign.ImageBlock, Images: []campaign.Image{{Src: "/a.jpg", Alt: "A boat", Caption: "At night"}}},
		{Type: campaign.GalleryBlock, Caption: "Two",
			Images: []campaign.Image{{Src: "/b.jpg"}, {Src: "/c.jpg", Alt: "A bell"}}},
		{Type: campaign.VideoBlock, Src: "/d.mp4", Title: "Trailer", Caption: "Short", Poster: "/d.jpg"},
		{Type: campaign.AudioBlock, Src: "/e.mp3", Title: "Song", Caption: "Long"},
		{Type: campaign.EmbedBlock, URL: "https://vimeo.com/123456789", Title: "Film", Caption: "Whole"},
		{Type: campaign.DividerBlock},
	}
	if diff := cmp.Diff(want, c.Diary[0].Content); diff != "" {
		t.Error(diff)
	}
}
