package content_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// BenchmarkPublish publishes drafts of an example campaign.
func BenchmarkPublish(b *testing.B) {
	site := os.DirFS("../../examples/site")
	src, err := fs.ReadFile(site, ferryFile)
	if err != nil {
		b.Fatal(err)
	}
	files := map[string][]byte{ferryFile: src}
	served, err := campaignfile.Load(site)
	if err != nil {
		b.Fatal(err)
	}
	night, err := served.Campaign("night-ferry")
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range night.References {
		files[r.Path[1:]] = nil
	}
	edits := []content.Edit{
		edit("goal_amount", `"12,000"`, "13000"),
		edit("short_blurb", `"A ferryman's last crossing, filmed in one night on a boat that goes out of service in spring."`,
			`"One boat, one night."`),
		edit("tiers[digital-premiere].price", "25", "20"),
		edit("tiers[night-on-board].limit_total", "4", "5"),
		edit("instagram", `"harborlantern.pictures"`, `"nightferry.film"`),
	}
	for _, n := range []int{1, len(edits)} {
		b.Run(fmt.Sprintf("edits=%d", n), func(b *testing.B) {
			f := newFixture(b)
			f.Catalogue = func() *campaign.Catalogue { return served }
			f.Presets = []string{"bluray", "poster", "signed_script"}
			f.Unused = func(context.Context, string, []string) ([]repository.Write, error) { return nil, nil }
			for b.Loop() {
				f.Repository = memory.New(files)
				if _, err := f.Publish(ctx, by("Ana", "a"), draft(edits[:n]...)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
