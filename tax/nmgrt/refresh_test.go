package nmgrt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
)

const heading = "OBJECTID_1,name,county,locat_cdr,locat_cd1,locat_cd2,grt_rate,note_key\n"

func published(first string) string { return towns(first, 210) }

// towns returns a file with the given first lines and n towns.
func towns(first string, n int) string {
	var b strings.Builder
	b.WriteString(heading + first)
	for i := range n {
		fmt.Fprintf(&b, "%d,Town %d,Some County,%02d-%03d,,,7.%04d,\n", i, i, i/30+30, i, i)
	}
	return b.String()
}

// The columns and spellings of the state's file are accepted. The format is known only from its
// description.
//
// Proves TAX-25.
func TestRefresh_PublishedFile(t *testing.T) {
	if _, err := nmgrt.Refresh(strings.NewReader(towns("", 200)), testTime); err != nil {
		t.Errorf("two hundred towns: %v", err)
	}
	file := published("1,Santa Fe,Santa Fe,01-123,,,8.1875,\n" +
		"2,\"Remainder of County, Taos\",Taos,20020,,,0.07,\n" +
		"3,Isleta Pueblo (1),Valencia,14-953,,,8.425%,\n" +
		"4,Rio Rancho,Sandoval,29-524,,,7.4375,\n" +
		"5,Rio Rancho,Bernalillo,02-647,,,7.875,\n" +
		"6,The Least,X,03-001,,,1,\n7,The Most,X,03-002,,,0.2,\n")
	b, err := nmgrt.Refresh(strings.NewReader(file), testTime)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 218 || lines[0] != "place,kind,county,code,percent,sources,as_of,confidence" {
		t.Errorf("%d lines, %s", len(lines), lines[0])
	}
	for _, want := range []string{
		`Santa Fe,municipality,Santa Fe,01-123,8.1875,"RGIS, published rates",2026-11-20,high`,
		`"Remainder of County, Taos",county_remainder,Taos,20-020,7,"RGIS, published rates",2026-11-20,high`,
		`Rio Rancho,municipality,Bernalillo,02-647,7.875,"RGIS, published rates",2026-11-20,high`,
		`Rio Rancho,municipality,Sandoval,29-524,7.4375,"RGIS, published rates",2026-11-20,high`,
		`The Least,municipality,X,03-001,1,"RGIS, published rates",2026-11-20,high`,
		`The Most,municipality,X,03-002,20,"RGIS, published rates",2026-11-20,high`,
		`Isleta Pueblo (1),tribal,Valencia,14-953,8.425,"RGIS, published rates",2026-11-20,high`,
	} {
		if !strings.Contains(string(b), want+"\n") {
			t.Errorf("missing %s", want)
		}
	}
}

func TestRefresh_InvalidFiles(t *testing.T) {
	for name, tt := range map[string]struct{ file, why string }{
		"empty":                {"", "header"},
		"HTML page":            {"<html>\n", "no column name"},
		"invalid code":         {published("1,X,Y,1-2,,,8,\n"), "line 2: \"1-2\" is not a valid location code"},
		"invalid rate":         {published("1,X,Y,01-123,,,much,\n"), "line 2: \"much\" is not a valid rate"},
		"rate far too high":    {published("1,X,Y,01-123,,,81.875,\n"), "is not a valid rate"},
		"rate far too low":     {published("1,X,Y,01-123,,,0.0008,\n"), "is not a valid rate"},
		"rate just above 20 %": {published("1,X,Y,01-123,,,20.0001,\n"), "is not a valid rate"},
		"rate just below 1 %":  {published("1,X,Y,01-123,,,0.009999,\n"), "is not a valid rate"},
		"negative rate":        {published("1,X,Y,01-123,,,-8,\n"), "is not a valid rate"},
		"two rates":            {published("1,X,Y,01-123,,,8,\n1,X,Y,01-123,,,9,\n"), "01-123 has two rates"},
		"too few codes":        {towns("", 199), "only 199 codes"},
		"error in line 4":      {published("1,A,Y,01-123,,,8,\n2,B,Y,01-124,,,8,\n3,C,Y,01-125,,,much,\n"), "line 4:"},
		"truncated":            {published("1,X,Y,01-1"), "wrong number of fields"},
	} {
		if _, err := nmgrt.Refresh(strings.NewReader(tt.file), testTime); err == nil ||
			!strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck_MissingAndOutdated(t *testing.T) {
	missing, old, err := nmgrt.Check(testTime)
	if err != nil || len(missing) == 0 || len(old) == 0 {
		t.Fatalf("%d missing, %d old, %v", len(missing), len(old), err)
	}
	all := strings.Join(old, "\n")
	if !strings.Contains(all, "Gallup, from 2025") || strings.Contains(all, "Rio Rancho") {
		t.Errorf("outdated:\n%s", all)
	}
	twoHundredDays := time.Date(2026, time.September, 3, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 200)
	for at, want := range map[time.Time]bool{twoHundredDays: false, twoHundredDays.Add(1): true} {
		if _, old, err := nmgrt.Check(at); err != nil ||
			slices.Contains(old, "NM 29-524 Rio Rancho, from 2026-09-03") != want {
			t.Errorf("at %s outdated:\n%s, %v", at, strings.Join(old, "\n"), err)
		}
	}
}
