//go:build !js

package httpapi

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An upload is held in memory while it is looked at: so many at once, and no more.
const (
	imagesAtOnce = 8
	filmsAtOnce  = 2
)

func (a *API) mediaRoutes() []Route {
	films := make(chan struct{}, filmsAtOnce)
	images := make(chan struct{}, imagesAtOnce)
	logo := a.uploadRoute("logo", "the platform's logo", media.Image, images)
	logo.Operator, logo.campaign, logo.Query = access.Platform, nil, logo.Query[2:]
	return []Route{
		logo,
		a.uploadRoute("image", "a picture", media.Image, images),
		a.uploadRoute("audio", "a recording", media.Audio, films),
		a.uploadRoute("video", "a film", media.Video, films),
		{
			Method: "GET", Pattern: "/admin/media", Tag: "content", Summary: "The platform's pictures and films, and how large uploads may be",
			Rules: Rules{Secret: AdminSecret, Operator: access.Platform}, Out: "MediaListing",
			handle: plain(func(ctx context.Context) (media.Listing, error) { return a.services.Media.List(ctx, "") }),
		},
		{
			Method: "GET", Pattern: "/admin/media/:slug", Tag: "content", Summary: "A campaign's pictures, films and recordings, and how large uploads may be",
			Rules: Rules{Secret: AdminSecret, Operator: access.Content}, Out: "MediaListing", Errors: []int{404},
			handle: bySlug(a.mediaList),
		},
		{
			Method: "GET", Pattern: "/admin/media/:slug/file", Tag: "content", Summary: "A file as it was uploaded, also before anything names it",
			Rules: Rules{Secret: AdminSecret, Operator: access.Content}, Query: []Param{{"path", "Such as /assets/images/campaigns/paper-boat/boat.jpg", true}},
			Type: anyType, Errors: []int{404, 503},
			handle: a.mediaFile,
		},
		{
			Method: "POST", Pattern: "/admin/media/delete", Tag: "content", Summary: "Remove those of a campaign's files that were uploaded and that nothing names any more",
			Rules: Rules{Secret: AdminSecret, Operator: access.Content, Action: "media.delete"}, In: "MediaRemoval", Out: "MediaRemoved", Errors: []int{404, 409},
			handle: a.removeMedia,
		},
		a.storeRoute("grant", "Where to send a film or a recording that is kept in the store, by a request that holds for an hour", "MediaGrant", Param{"size", "Of the file, in bytes", true},
			func(ctx context.Context, by media.By, u media.Upload, q url.Values) (any, error) {
				size, err := strconv.ParseInt(q.Get("size"), 10, 64)
				if err != nil {
					return nil, fault.New(fault.Invalid, "A size is a whole number of bytes").In("size")
				}
				return a.services.Media.Grant(ctx, by, u, size)
			}),
		a.storeRoute("take", "Look at a film or a recording that was sent by a grant, and put it where everybody reads it", "MediaStored", Param{},
			func(ctx context.Context, by media.By, u media.Upload, _ url.Values) (any, error) {
				return within(films, func() (any, error) { return a.services.Media.Take(ctx, by, u) })
			}),
	}
}

// storeRoute is about one file on its way to the store, which the query names as it does for
// uploads.
func (a *API) storeRoute(name, summary, out string, more Param, do func(context.Context, media.By, media.Upload, url.Values) (any, error)) Route {
	r := Route{
		Method: "POST", Pattern: "/admin/media/" + name, Tag: "content", Summary: summary,
		Rules: Rules{Secret: AdminSecret, Operator: access.Content, NoBody: true, ByQuery: true, Action: "media." + name, campaign: campaignOfUpload},
		Query: append([]Param{{"kind", "video or audio", true}}, uploadQuery(true)...), Out: out, Errors: []int{404, 409, 503},
		handle: func(ctx context.Context, x *exchange) (any, error) {
			q := x.query()
			if q.Get("changeId") == "" {
				return nil, fault.New(fault.Invalid, "Missing changeId").In("changeId")
			}
			by, err := a.author(x, q.Get("changeId"))
			if err != nil {
				return nil, err
			}
			return do(ctx, media.By(by), media.Upload{Kind: media.Kind(q.Get("kind")), Use: useOf(x), Slug: q.Get("campaignSlug"), Name: q.Get("filename")}, q)
		},
	}
	if more.Name != "" {
		r.Query = append(r.Query, more)
	}
	return r
}

// uploadQuery says what an upload is. What is sent to the store has to have an identity.
func uploadQuery(identified bool) []Param {
	return []Param{
		{"campaignSlug", "The campaign, for its own files", false},
		{"use", "campaign where it is left out, campaign-add-on, add-on or default: the last two take a super admin", false},
		{"filename", "Lower-case letters, digits and hyphens, and one extension", true},
		{"changeId", "The change's identity: what is sent again with it is done once", identified},
	}
}

// within runs what holds an upload in memory, where there is room for it.
func within(slots chan struct{}, do func() (any, error)) (any, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return do()
	default:
		return nil, fault.New(fault.Busy, "Others are uploading at this moment: try again soon")
	}
}

// uploadRoute takes files of one kind. The body is the file.
func (a *API) uploadRoute(name, about string, k media.Kind, slots chan struct{}) Route {
	return Route{
		Method: "POST", Pattern: "/admin/settings/" + name + "-upload", Tag: "content",
		Summary: "Upload " + about + ", new or in place of one of the same name",
		Rules: Rules{
			Secret: AdminSecret, Operator: access.Content, RawBody: true, Streamed: true, ByQuery: true, Cap: int(k.MaxSize()),
			Action: "media.upload_" + name, campaign: campaignOfUpload,
		},
		Query: append(uploadQuery(false), Param{"sha", "Of the file that this one replaces, as it was seen; left out for a new one", false}),
		Out:   "MediaStored", Errors: []int{404, 409},
		handle: func(ctx context.Context, x *exchange) (any, error) { return a.upload(ctx, x, k, slots) },
	}
}

// useOf is what an upload is for.
func useOf(x *exchange) media.Use {
	if x.route.Operator == access.Platform {
		return media.Default
	}
	return media.Use(cmp.Or(x.query().Get("use"), string(media.Campaign)))
}

// campaignOfUpload is the campaign whose file it is. The platform's are a super admin's.
func campaignOfUpload(_ context.Context, x *exchange) (string, error) {
	if useOf(x).Shared() {
		return "", fault.New(fault.Forbidden, "You may not do this")
	}
	slug := x.query().Get("campaignSlug")
	if slug == "" {
		return "", fault.New(fault.Invalid, "Missing campaignSlug").In("campaignSlug")
	}
	return slug, nil
}

func (a *API) upload(ctx context.Context, x *exchange, k media.Kind, slots chan struct{}) (any, error) {
	q := x.query()
	by, err := a.author(x, q.Get("changeId"))
	if err != nil {
		return nil, err
	}
	return within(slots, func() (any, error) {
		body, err := x.read()
		if err != nil {
			return nil, err
		}
		return a.services.Media.Upload(ctx, media.By(by), media.Upload{
			Kind: k, Use: useOf(x), Slug: q.Get("campaignSlug"), Name: q.Get("filename"), SHA: q.Get("sha"), Bytes: body,
		})
	})
}

// read returns a body that may be large.
func (x *exchange) read() ([]byte, error) {
	if x.Stream == nil {
		return x.Body, nil
	}
	return x.readAll(int64(x.route.cap()))
}

// MediaRemoval is the body of POST /admin/media/delete.
type MediaRemoval struct {
	CampaignSlug string   `json:"campaignSlug"`
	Paths        []string `json:"paths"`
	ChangeID     string   `json:"changeId,omitempty"`
}

func (a *API) removeMedia(ctx context.Context, x *exchange) (any, error) {
	var in MediaRemoval
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	return a.services.Media.Remove(ctx, media.By(by), in.CampaignSlug, in.Paths)
}

// anyType is of what a browser should keep and not show: files of the repository may be
// drawings with scripts.
const anyType = "application/octet-stream"

func (a *API) mediaFile(ctx context.Context, x *exchange) (any, error) {
	b, err := a.services.Media.File(ctx, x.param, x.query().Get("path"))
	if err != nil {
		return nil, err
	}
	return Response{Status: 200, Body: b, Header: Header{"Content-Type": {anyType}, "Content-Disposition": {"attachment"}}}, nil
}

func (a *API) mediaList(ctx context.Context, slug string) (media.Listing, error) {
	return a.services.Media.List(ctx, slug)
}
