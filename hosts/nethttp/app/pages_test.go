package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A picture that exists but cannot be rendered is rejected before publication, as it is by the
// command "pledged check".
func TestPublish_DamagedPictureIsRefused(t *testing.T) {
	folder := contentOf(t)
	name := filepath.Join(folder, "assets", "images", "damaged.png")
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("not a picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := openOn(t, folder, map[string]string{"CONTENT_REPOSITORY": "folder", "DATA_DIR": t.TempDir()})
	d := content.Draft{File: "campaigns/film.md",
		Edits: []content.Edit{{Path: "hero_image", Value: json.RawMessage(`"/assets/images/damaged.png"`)}}}
	r, err := a.Services.Content.Preview(t.Context(), d)
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "is not a picture") {
		t.Errorf("review: %+v, %v", r.Problems, err)
	}
	if _, err := a.Services.Content.Publish(t.Context(), byAna(1), d); !fault.Is(err, fault.Invalid) {
		t.Errorf("publish: %v", err)
	}
	if _, err := a.Services.Content.Publish(t.Context(), byAna(2), goal(130, 140)); err != nil {
		t.Errorf("publish another change: %v", err)
	}
}
