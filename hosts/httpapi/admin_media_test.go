package httpapi_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// drawn returns a picture of the given width.
func drawn(t *testing.T, width int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func boxed(name string, bodies ...string) string {
	body := strings.Join(bodies, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))) + name + body //nolint:gosec // short
}

// filmed returns the smallest MP4 file with a video track.
func filmed() []byte {
	handler := boxed("hdlr", "\x00\x00\x00\x00mhlrvide............")
	return []byte(boxed("ftyp", "isom\x00\x00\x00\x00isom") + boxed("mdat", "frames") +
		boxed("moov", boxed("trak", boxed("tkhd", strings.Repeat("\x00", 84)), boxed("mdia", handler))))
}

func spoken() []byte {
	chunk := func(name, body string) string {
		return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body //nolint:gosec // short
	}
	return []byte(chunk("RIFF", "WAVE"+chunk("fmt ", strings.Repeat("\x00", 16))+chunk("data", "samples!")))
}

// upload uploads a file.
func (b *browser) upload(kind, query string, body []byte) httpapi.Response {
	b.e.t.Helper()
	return b.e.do("POST", "/admin/settings/"+kind+"-upload", query, body,
		b.headers("Content-Type", "application/octet-stream")...)
}

func (e *edge) uploaded(r httpapi.Response) media.Stored {
	e.t.Helper()
	e.wantStatus(r, 200)
	return decode[media.Stored](e.t, r)
}

func (e *edge) inRepository(path string) bool {
	e.t.Helper()
	_, err := e.Services.Repository.File(e.t.Context(), "", strings.TrimPrefix(path, "/"))
	if err != nil && !fault.Is(err, fault.NotFound) {
		e.t.Fatal(err)
	}
	return err == nil
}

// Files are stored by their use, and only users with access can upload them.
//
// Proves MED-06, MED-07, MED-08, MED-09, MED-10, MED-11, MED-12, MED-17, MED-18, MED-24,
// MED-25, MED-26, MED-27.
func TestMedia_Upload(t *testing.T) {
	e := newEdge(t, memory.Options{})
	mine, super := e.signedIn("ada@example.com", access.CampaignUser, game),
		e.signedIn("super@example.com", access.SuperAdmin)
	for _, tc := range []struct {
		kind, use, name, want string
		body                  []byte
	}{
		{"logo", "", "logo.png", "", drawn(t, 1)},
		{"image", "default", "card.png", "/assets/images/defaults/", drawn(t, 1)},
		{"image", "add-on", "mug.png", "/assets/images/add-ons/", drawn(t, 1)},
		{"image", "campaign-add-on", "pin.png", "/assets/images/campaign-add-ons/" + game + "/", drawn(t, 1)},
		{"image", "campaign", "box.png", "/assets/images/campaigns/" + game + "/", drawn(t, 1)},
		{"image", "", "lid.png", "/assets/images/campaigns/" + game + "/", drawn(t, 1)},
		{"audio", "", "hello.wav", "/assets/audio/campaigns/" + game + "/", spoken()},
		{"video", "", "hero.mp4", "/assets/videos/campaigns/" + game + "/", filmed()},
		{"video", "default", "tour.mp4", "/assets/videos/defaults/", filmed()},
	} {
		q := url.Values{"filename": {tc.name}}
		shared := tc.kind == "logo" || tc.use == "default" || tc.use == "add-on"
		if tc.use != "" {
			q.Set("use", tc.use)
		}
		if !shared {
			q.Set("campaignSlug", film)
			e.wantStatus(mine.upload(tc.kind, q.Encode(), tc.body), 404)
			q.Set("campaignSlug", game)
		} else {
			e.wantStatus(mine.upload(tc.kind, q.Encode(), tc.body), 403)
		}
		if tc.kind == "logo" {
			tc.want = "/assets/images/defaults/"
		}
		by := mine
		if shared {
			by = super
		}
		s := e.uploaded(by.upload(tc.kind, q.Encode(), tc.body))
		if s.Path != tc.want+tc.name || !e.inRepository(s.Path) {
			t.Errorf("%s for %q: stored as %+v", tc.name, tc.use, s)
		}
		if again := e.uploaded(by.upload(tc.kind, q.Encode(), tc.body)); again.SHA != s.SHA || again.Revision != "" {
			t.Errorf("%s again: %+v", tc.name, again)
		}
		listed := decode[media.Listing](t, by.get("/admin/media"+map[bool]string{false: "/" + game}[shared], ""))
		if !slices.ContainsFunc(listed.Files, func(f media.Listed) bool { return f.Path == s.Path && f.SHA == s.SHA }) {
			t.Errorf("%s is not in %+v", s.Path, listed)
		}
	}
	e.wantStatus(mine.get("/admin/media", ""), 403)
	e.wantStatus(mine.get("/admin/media/"+film, ""), 404)
	var uploads []string
	for ev, err := range e.Services.Audit.All(t.Context(), audit.Filter{Action: "media.upload_video"}) {
		if err != nil {
			t.Fatal(err)
		}
		uploads = append(uploads, ev.AdminEmail+" "+ev.CampaignSlug+" "+ev.Target)
	}
	if want := []string{"super@example.com  tour.mp4", "ada@example.com " + game + " hero.mp4"}; !slices.Contains(uploads,
		want[0]) || !slices.Contains(uploads, want[1]) {
		t.Errorf("log = %q, want %q", uploads, want)
	}
}

// The request parameters are checked before the file is read, and responses do not echo them.
//
// Proves MED-05, MED-13.
func TestMedia_HostileUploads(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	good := url.Values{"campaignSlug": {game}, "filename": {"box.png"}, "use": {"campaign"}}
	n := 0
	for field := range map[string]bool{"campaignSlug": true, "filename": true, "use": true,
		"sha": true, "changeId": true} {
		for name, value := range hostile {
			var text string
			if json.Unmarshal([]byte(value), &text) != nil {
				text = value
			}
			if field == "changeId" && slices.Contains([]string{"huge", "negative", "beyond"}, name) { // valid change IDs
				continue
			}
			q := url.Values{}
			maps.Copy(q, good)
			q.Set(field, text)
			before := e.kept()
			n++
			e.wantRejected(field+" "+name, b.upload("image", q.Encode(), drawn(t, n)), before, false)
		}
	}
	for _, name := range []string{"", "Box.png", "box.svg", "box.png.html", "a/box.png", "../box.png", ".png",
		"box", "box .png", "bóx.png", "box.mp4", strings.Repeat("a", 97) + ".png"} {
		q := url.Values{"campaignSlug": {game}, "filename": {name}}
		e.wantField(b.upload("image", q.Encode(), drawn(t, 1)), "filename")
	}
	for name, body := range map[string][]byte{"nothing": nil,
		"a drawing": []byte("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"),
		"a film":    filmed(), "half": drawn(t, 9)[:40]} {
		if r := b.upload("image", good.Encode(), body); r.Status != 400 || decode[failure](t, r).Field != "file" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}

// A change that removes the last use of a file deletes the file in the same commit, and undoing the
// change restores it.
//
// Proves MED-19, MED-20, MED-21, MED-22.
func TestMedia_DeletedWithLastUse(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	here := "campaignSlug=" + game
	first := e.uploaded(b.upload("image", here+"&filename=box.png", drawn(t, 3)))
	e.wantStatus(b.upload("image", here+"&filename=box.png", drawn(t, 4)), 409)
	e.wantStatus(b.upload("image", here+"&filename=box.png&use=campaign-add-on&sha="+first.SHA, drawn(t, 4)), 409)
	s := e.uploaded(b.upload("image", here+"&filename=box.png&sha="+first.SHA, drawn(t, 4)))
	if s.Path != first.Path || s.SHA == first.SHA || s.Width != 4 {
		t.Errorf("replaced = %+v after %+v", s, first)
	}
	body := decode[opened](t, b.get("/admin/content", here)).Fields["body"]
	var text string
	if err := json.Unmarshal(body, &text); err != nil {
		t.Fatal(err)
	}
	with, _ := json.Marshal(text + "\n\n![The box](" + s.Path + ")\n")
	publish := func(was, value []byte) content.Published {
		t.Helper()
		r := b.ask("POST", "/admin/content/publish", edits(game, "body", string(was), string(value)))
		e.wantStatus(r, 200)
		return decode[content.Published](t, r)
	}
	publish(body, with)
	file := b.get("/admin/media/"+game+"/file", "path="+s.Path)
	if !bytes.Equal(file.Body, drawn(t, 4)) || file.Header["Content-Type"][0] != "application/octet-stream" ||
		file.Header["Content-Disposition"][0] != "attachment" {
		t.Errorf("GET of the uploaded file: status %d, headers %v", file.Status, file.Header)
	}
	for _, path := range []string{"", "/", "/campaigns/" + game + ".md", "/site.yml", "/assets/images/campaigns/" +
		film + "/hero.svg", "/assets/images/defaults/../../../site.yml", s.Path + ".none", marker} {
		if r := b.get("/admin/media/"+game+"/file", url.Values{"path": {path}}.Encode()); r.Status != 404 ||
			bytes.Contains(r.Body, []byte(marker)) {
			t.Errorf("%s: %d %.80s", path, r.Status, r.Body)
		}
	}
	removal := httpapi.MediaRemoval{CampaignSlug: game, Paths: []string{s.Path}}
	if r := decode[media.Removed](t, b.ask("POST", "/admin/media/delete", removal)); len(r.Kept) != 1 ||
		r.Kept[0].Reason != media.InUse {
		t.Errorf("deleted a file in use: %+v", r)
	}
	gone := publish(with, body)
	if e.inRepository(s.Path) {
		t.Error("unreferenced file was not deleted")
	}
	if head, _ := e.Services.Repository.Head(t.Context()); head != gone.Revision {
		t.Error("file was removed by a separate commit")
	}
	undo := httpapi.UndoBody{CampaignSlug: game, Revision: gone.Revision}
	e.wantStatus(b.ask("POST", "/admin/content/undo", undo), 200)
	f, err := e.Services.Repository.File(t.Context(), "", s.Path[1:])
	if err != nil || f.SHA != s.SHA {
		t.Errorf("after undo, file = %+v, %v", f.Entry, err)
	}
	e.wantStatus(b.ask("POST", "/admin/media/delete", httpapi.MediaRemoval{CampaignSlug: film, Paths: []string{s.Path}}),
		404)
}

// slow is a body that blocks until end is closed.
type slow struct {
	begun chan struct{}
	end   chan struct{}
}

func (s slow) Read([]byte) (int, error) {
	s.begun <- struct{}{}
	<-s.end
	return 0, io.EOF
}

// Only a few uploads are held in memory. Further ones are rejected, and the body of an unauthorized
// upload is not read.
func TestMedia_ConcurrentUploads(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	all := map[string]string{"Origin": string(e.Config.Site.Base)}
	for h := b.headers(); len(h) > 1; h = h[2:] {
		all[h[0]] = h[1]
	}
	body := slow{make(chan struct{}), make(chan struct{})}
	done := make(chan httpapi.Response)
	send := func(header func(string) string) httpapi.Response {
		return e.API.Serve(t.Context(), httpapi.Request{
			Method: "POST", Path: "/admin/settings/video-upload", RawQuery: "filename=hero.mp4&campaignSlug=" + game,
			Stream: body, ClientIP: "192.0.2.1", Header: header,
		})
	}
	if r := send(func(string) string { return "" }); r.Status != 401 {
		t.Errorf("unauthorized upload: status %d: %s", r.Status, r.Body)
	}
	mine := func(name string) string { return all[name] }
	for range 2 {
		go func() { done <- send(mine) }()
		<-body.begun
	}
	if r := send(mine); r.Status != 409 || decode[failure](t, r).Code != "busy" {
		t.Errorf("third concurrent upload: status %d: %s", r.Status, r.Body)
	}
	close(body.end)
	for range 2 {
		if r := <-done; r.Status != 400 {
			t.Errorf("empty film: status %d: %s", r.Status, r.Body)
		}
	}
}
