package httpapi_test

import (
	"bytes"
	"context"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// editable is an editable file with a field and a new value for it.
type editable struct{ path, slug, field, value string }

func (d editable) edit(e *edge, b *browser) httpapi.DraftBody {
	file := decode[opened](e.t, b.get(d.path, "campaignSlug="+d.slug))
	was := string(file.Fields[d.field])
	if was == "" {
		was = string(file.at(d.field))
	}
	draft := edits(d.slug, d.field, was, d.value)
	draft.ChangeID = "one"
	return draft
}

func (d editable) published(t *testing.T, o memory.Options) (*edge, act) {
	e := newEdge(t, o)
	b := e.super()
	return e, b.does(d.path+"/publish", d.edit(e, b))
}

func (d editable) undone(t *testing.T, o memory.Options) (*edge, act) {
	e := newEdge(t, o)
	b := e.super()
	r := b.ask("POST", d.path+"/publish", d.edit(e, b))
	e.wantStatus(r, 200)
	return e, b.does(d.path+"/undo",
		httpapi.UndoBody{CampaignSlug: d.slug, Revision: decode[content.Published](t, r).Revision, ChangeID: "two"})
}

var (
	aCampaign = editable{"/admin/content", game, "category", `"Book"`}
	aSetting  = editable{"/admin/settings", "", "platform.name", `"Curtain"`}
	anAddOn   = editable{"/admin/add-ons", "", "low_stock_threshold", "3"}
)

var contentMutations = map[string]mutation{
	"content.publish": aCampaign.published, "content.undo": aCampaign.undone,
	"settings.publish": aSetting.published, "settings.undo": aSetting.undone,
	"add_ons.publish": anAddOn.published, "add_ons.undo": anAddOn.undone,
	"campaign.create": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		e.user(ben)
		return e, e.super().does("/admin/campaigns/create", httpapi.CampaignRequest{Title: "New",
			Users: []httpapi.CampaignUser{{Email: ben.Email}, {Email: "nia@example.com", Name: "Nia"}}})
	},
	"campaign.duplicate": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/campaigns/duplicate",
			httpapi.CampaignCopy{CampaignSlug: game, Title: "Another Game", ChangeID: "one"})
	},
	"campaign.archive": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/campaigns/archive",
			httpapi.CampaignArchival{CampaignSlug: "slow-weather", ChangeID: "one"})
	},
	"campaign.withdraw": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		return e, e.super().does("/admin/campaigns/withdraw/slow-weather",
			httpapi.WithdrawRequest{Visibility: "hidden", ChangeID: "one"})
	},
	"campaign.launch": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		e.wantStatus(b.ask("POST", "/admin/campaigns/withdraw/"+film,
			httpapi.WithdrawRequest{Visibility: "hidden", Reason: "A pause."}), 200)
		l := decode[content.Launch](t, b.get("/admin/campaigns/launch/"+film, ""))
		return e, b.does("/admin/campaigns/launch/"+film, httpapi.LaunchRequest{Base: l.Base, ChangeID: "one"})
	},
	"preview.publish": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		base := decode[opened](t, b.get("/admin/content", "campaignSlug="+game)).Base
		return e, b.does("/admin/campaign-preview/publish", httpapi.PreviewRequest{CampaignSlug: game, Base: base,
			Reviewers: []string{"eve@example.com", "mike@example.com"}, ChangeID: "one"})
	},
}

func uploaded(kind, name string, body func(t *testing.T) []byte) mutation {
	return func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b, file := e.super(), body(t)
		return e, func() httpapi.Response {
			query := "changeId=one&filename=" + name
			if kind != "logo" {
				query += "&campaignSlug=" + game
			}
			return b.upload(kind, query, file)
		}
	}
}

var mediaMutations = map[string]mutation{
	"media.upload_logo":  uploaded("logo", "logo.png", func(t *testing.T) []byte { return drawn(t, 1) }),
	"media.upload_image": uploaded("image", "box.png", func(t *testing.T) []byte { return drawn(t, 1) }),
	"media.upload_audio": uploaded("audio", "hello.wav", func(*testing.T) []byte { return spoken() }),
	"media.upload_video": uploaded("video", "hero.mp4", func(*testing.T) []byte { return filmed() }),
	"media.delete": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		b := e.super()
		s := e.uploaded(b.upload("image", "filename=box.png&campaignSlug="+game, drawn(t, 1)))
		return e, b.does("/admin/media/delete",
			httpapi.MediaRemoval{CampaignSlug: game, Paths: []string{s.Path}, ChangeID: "one"})
	},
	"media.grant": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, _, q := newEdgeWithGrant(t, o)
		return e, func() httpapi.Response { return b.film("grant", q) }
	},
	"media.take": func(t *testing.T, o memory.Options) (*edge, act) {
		e, b, s, q := newEdgeWithGrant(t, o)
		g := decode[media.Grant](t, b.film("grant", q))
		s.files[g.URL] = filmed()
		return e, func() httpapi.Response { return b.film("take", q) }
	},
}

// fakeStore is a media store in memory.
type fakeStore struct {
	files map[string][]byte
	may   func() error
}

// newEdgeWithGrant returns an edge with a media store, a super admin, the store, and the query of a
// request for an upload grant.
func newEdgeWithGrant(t *testing.T, o memory.Options) (*edge, *browser, fakeStore, url.Values) {
	s := fakeStore{map[string][]byte{}, o.Outside}
	o.Films = s
	e := newEdge(t, o)
	super := e.super()
	return e, super, s, asked("video", "", "hero.mp4", strconv.Itoa(len(filmed())))
}

func (s fakeStore) Grant(key, _ string, _ int64) media.Grant {
	return media.Grant{Method: "PUT", URL: key, Header: map[string]string{"Content-Type": "video/mp4"},
		ExpiresAt: memory.DefaultStart.Add(time.Hour)}
}

func (s fakeStore) Get(_ context.Context, key string) ([]byte, error) {
	b, ok := s.files[key]
	if !ok {
		return nil, fault.New(fault.NotFound, "No such file")
	}
	return bytes.Clone(b), nil
}

func (s fakeStore) Put(_ context.Context, key, _ string, b []byte) error {
	if err := s.may(); err != nil {
		return err
	}
	s.files[key] = b
	return nil
}

func (s fakeStore) Delete(_ context.Context, key string) error {
	if err := s.may(); err != nil {
		return err
	}
	delete(s.files, key)
	return nil
}

func (s fakeStore) URL(key string) string { return filmsAt + "/" + key }
