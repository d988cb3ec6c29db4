package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The bundled files in hosts/site/assets match the sources.
func TestAssets_Current(t *testing.T) {
	if _, err := os.Stat(filepath.Join("..", "..", "dashboard", "node_modules")); err != nil {
		if os.Getenv("PLEDGEWORKS_BROWSER") != "" {
			t.Fatal("the dashboard's libraries are missing: run make browser")
		}
		t.Skip("the dashboard's libraries are missing: make browser installs them")
	}
	files, err := bundle(filepath.Join("..", "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob(filepath.Join("..", "assets", "*.js"))
	if want := len(files) - 1; err != nil || len(have) != want { // without dashboard.css
		t.Errorf("%d scripts exist, want %d: run make scripts, %v", len(have), want, err)
	}
	for name, body := range files {
		old, err := os.ReadFile(filepath.Join("..", "assets", name))
		if err != nil || string(old) != string(body) {
			t.Errorf("%s differs from the sources: run make scripts, %v", name, err)
		}
	}
}
