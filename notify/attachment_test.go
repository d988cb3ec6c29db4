package notify_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An attachment has a limited size and a name that needs no quoting in a header. A mail with
// any other attachment is rejected before it is queued.
func TestQueue_Attachment(t *testing.T) {
	for name, tc := range map[string]struct {
		file  notify.Attachment
		field string
	}{
		"none":          {notify.Attachment{}, ""},
		"a file":        {notify.Attachment{Name: "pledges-film-2026-11-02.csv", Text: "a,b\n"}, ""},
		"largest file":  {notify.Attachment{Name: "a.csv", Text: strings.Repeat("x", notify.MaxAttachment)}, ""},
		"longest name":  {notify.Attachment{Name: strings.Repeat("a", 196) + ".csv", Text: "a"}, ""},
		"name too long": {notify.Attachment{Name: strings.Repeat("a", 197) + ".csv", Text: "a"}, "attachment.name"},
		"file too large": {notify.Attachment{Name: "a.csv", Text: strings.Repeat("x", notify.MaxAttachment+1)},
			"attachment.text"},
		"empty":          {notify.Attachment{Name: "a.csv"}, "attachment.text"},
		"invalid UTF-8":  {notify.Attachment{Name: "a.csv", Text: "\xff"}, "attachment.text"},
		"no name":        {notify.Attachment{Text: "a"}, "attachment.name"},
		"path as name":   {notify.Attachment{Name: "../a.csv", Text: "a"}, "attachment.name"},
		"header in name": {notify.Attachment{Name: "a\r\nX: y.csv", Text: "a"}, "attachment.name"},
		"another type":   {notify.Attachment{Name: "a.exe", Text: "a"}, "attachment.name"},
	} {
		p := newFixture()
		m := message("report:1")
		m.Attachment = tc.file
		err := p.Queue(ctx, m)
		if tc.field == "" {
			p.drain(t, 10)
			if err != nil || len(p.sent) != 1 || p.sent[0].Attachment != tc.file {
				t.Errorf("%s: %v, sent %d", name, err, len(p.sent))
			}
			continue
		}
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}
