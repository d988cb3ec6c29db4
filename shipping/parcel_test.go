package shipping_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
)

var update = flag.Bool("update", false, "write the guide's table")

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// box returns an item with its own package.
func box(n int, weight, packaging, length, width, height, stack string) shipping.Item {
	return shipping.Item{Name: "box", Quantity: n,
		Delivery: campaign.Delivery{Category: campaign.Physical, Package: &campaign.Package{
			Weight: dec(weight), Packaging: dec(packaging), Length: dec(length), Width: dec(width),
			Height: dec(height), StackHeight: dec(stack),
		}}}
}

// A parcel weighs as much as its items and the heaviest packaging, has the largest length and
// width of its items, and is as high as the stack of all units.
//
// Proves SHP-02.
func TestPack(t *testing.T) {
	digital := shipping.Item{Name: "file", Quantity: 3, Delivery: campaign.Delivery{Category: campaign.Digital}}
	for name, tt := range map[string]struct {
		items []shipping.Item
		want  string // ounces, inches
		kind  string
	}{
		"one":                    {[]shipping.Item{box(1, "6.5", "1", "12", "10", "1.5", "0.5")}, "7.5 12x10x1.5", "bends"},
		"three of one item":      {[]shipping.Item{box(3, "6.5", "1", "12", "10", "1.5", "0.5")}, "20.5 12x10x2.5", "bends"},
		"no stack height":        {[]shipping.Item{box(3, "2", "0.5", "4", "3", "1", "0")}, "6.5 4x3x3", "bends"},
		"stack higher than long": {[]shipping.Item{box(10, "2", "0.5", "4", "3", "1", "0.75")}, "20.5 7.75x4x3", "bends"},
		"sides in another order": {[]shipping.Item{box(1, "2", "0", "3", "26", "3", "0")}, "2 26x3x3", "bends"},
		"heavier packaging, once": {[]shipping.Item{box(2, "10", "8", "13", "13", "1", "0.5"),
			box(1, "4", "2", "6", "5", "2", "1")}, "32 13x13x3", "bends"},
		"digital item": {[]shipping.Item{digital, box(1, "6.5", "1", "12", "10", "1.5", "0.5")},
			"7.5 12x10x1.5", "bends"},
		"rigid package": {[]shipping.Item{rigid(box(1, "3", "1", "9", "6", "0.2", "0.1")),
			box(1, "1", "1", "9", "6", "0.2", "0.1")}, "5 9x6x0.3", ""},
		"presets":            {[]shipping.Item{thing("vinyl", 2), thing("cd", 1)}, "33.6 13.5x13.5x1.6", "media"},
		"bending items":      {[]shipping.Item{thing("sticker", 1), thing("zine", 1)}, "4 10x7x0.22", "bends"},
		"bending print":      {[]shipping.Item{thing("zine", 1)}, "3.7 10x7x0.2", "media bends"},
		"rigid pin":          {[]shipping.Item{thing("pin", 1), thing("sticker", 1)}, "2.1 9x6x0.82", ""},
		"shirt is not media": {[]shipping.Item{thing("vinyl", 1), thing("tshirt", 1)}, "26 13.5x13.5x1.7", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, missing, ok := shipping.Pack(tt.items)
			got := fmt.Sprintf("%s %sx%sx%s", p.Weight, p.Length, p.Width, p.Height)
			kind := ""
			if p.Media {
				kind += "media"
			}
			if p.Flexible {
				kind += " bends"
			}
			if !ok || missing != "" || got != tt.want || strings.TrimSpace(kind) != tt.kind {
				t.Errorf("%s %q, missing %q, want %s %q", got, kind, missing, tt.want, tt.kind)
			}
		})
	}
	for _, item := range []shipping.Item{thing("", 1), thing("zeppelin", 1)} {
		item.Name = "Airship"
		if p, missing, ok := shipping.Pack([]shipping.Item{disc, item}); ok || missing != "Airship" || !p.Weight.IsZero() {
			t.Errorf("%q was packed: %+v, %s", item.ShippingPreset, p, missing)
		}
	}
}

func rigid(i shipping.Item) shipping.Item {
	i.Package.Rigid = true
	return i
}

// Large parcels are billed by size, rounded up to pounds.
func TestBillable(t *testing.T) {
	for name, tt := range map[string]struct {
		weight, sides string
		want          string
		dimensional   bool
	}{
		"one cubic foot":        {"16", "12 12 12", "16", false},
		"just above":            {"16", "12 12 12.1", "176", true},   // 1742.4 / 166 = 10.5
		"whole pounds":          {"16", "20 16.6 10", "320", true},   // 3320 / 166 = 20
		"heavier than its size": {"400", "20 16.6 10", "400", false}, // 25 lb
		"as heavy as its size":  {"320", "20 16.6 10", "320", false},
		"small tube":            {"10", "26 3 3", "10", false},
	} {
		sides := strings.Fields(tt.sides)
		p := shipping.Parcel{Weight: dec(tt.weight), Length: dec(sides[0]), Width: dec(sides[1]), Height: dec(sides[2])}
		if got, dimensional := p.Billable(1728, 166); !got.Equal(dec(tt.want)) || dimensional != tt.dimensional {
			t.Errorf("%s: %s oz, dimensional: %t", name, got, dimensional)
		}
	}
}

// The order of items does not change the parcel, and another item never makes it
// lighter or smaller.
func TestPack_Properties(t *testing.T) {
	names := shipping.PresetNames()
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) shipping.Item {
			return thing(rapid.SampledFrom(names).Draw(t, "preset"), rapid.IntRange(1, 30).Draw(t, "quantity"))
		}), 1, 8).Draw(t, "items")
		want, _, _ := shipping.Pack(items)
		mixed := slices.Clone(items)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got, _, _ := shipping.Pack(mixed); !cmp.Equal(want, got) {
			t.Fatalf("packed as %+v, in another order as %+v", want, got)
		}
		more, _, _ := shipping.Pack(append(mixed, thing(rapid.SampledFrom(names).Draw(t, "more"), 1)))
		if more.Weight.LessThanOrEqual(want.Weight) || more.Length.LessThan(want.Length) ||
			volume(more).LessThan(volume(want)) {
			t.Fatalf("%+v, with one more item %+v", want, more)
		}
		if want.Length.LessThan(want.Width) || want.Width.LessThan(want.Height) {
			t.Fatalf("the sides of %+v are not sorted", want)
		}
	})
}

func volume(p shipping.Parcel) decimal.Decimal { return p.Length.Mul(p.Width).Mul(p.Height) }

// The presets are valid packages, and the table in the guide is current.
func TestPresets_ValidAndDocumented(t *testing.T) {
	const guide = "../docs/shipping.md"
	var out strings.Builder
	out.WriteString("\n| preset | what | ounces | packaging | inches | each more | post |\n" +
		"|---|---|---|---|---|---|---|\n")
	seen := map[string]bool{}
	for _, name := range shipping.PresetNames() {
		p, _ := shipping.FindPreset(name)
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s × %s × %s | %s | %s |\n", p.Name, p.About,
			p.Weight, p.Packaging, p.Length, p.Width, p.Height, p.StackHeight, kind(p))
		if seen[p.Name] || !p.Weight.IsPositive() || !p.Packaging.IsPositive() || !p.StackHeight.IsPositive() ||
			p.StackHeight.GreaterThan(p.Height) || p.Length.LessThan(p.Width) {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
	b, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	prose, written, ok := strings.Cut(string(b), "-update -->\n")
	if !ok {
		t.Fatal("the guide has no marker for the table")
	}
	if *update {
		if err := os.WriteFile(guide, []byte(prose+"-update -->\n"+out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(out.String(), written); diff != "" {
		t.Errorf("%s (-presets +guide):\n%s", guide, diff)
	}
}

func kind(p shipping.Preset) string {
	switch {
	case p.Flexible:
		return "letter or large envelope"
	case p.Media:
		return "media"
	}
	return "parcel"
}
