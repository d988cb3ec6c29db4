package schema

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/shipping"
)

func TestPresets_Spanish(t *testing.T) {
	names := shipping.PresetNames()
	for _, name := range names {
		if presetsES[name] == "" {
			t.Errorf("%s has no Spanish description", name)
		}
	}
	if len(presetsES) != len(names) {
		t.Errorf("%d Spanish descriptions for %d presets", len(presetsES), len(names))
	}
}
