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

// Uploads are held in memory while they are checked, so only a few are accepted at a time.
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
		a.uploadRoute("video", "a video", media.Video, films),
		{
			Method: "GET", Pattern: "/admin/media", Tag: "content",
			Summary: "The platform's pictures and videos, and the upload limits",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform}, Out: "MediaListing",
			handle: plain(func(ctx context.Context) (media.Listing, error) { return a.services.Media.List(ctx, "") }),
		},
		{
			Method: "GET", Pattern: "/admin/media/:slug", Tag: "content",
			Summary: "A campaign's pictures, videos and recordings, and the upload limits",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content}, Out: "MediaListing", Errors: []int{404},
			handle: bySlug(a.mediaList),
		},
		{
			Method: "GET", Pattern: "/admin/media/:slug/file", Tag: "content",
			Summary: "An uploaded file, also before it is used",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content},
			Query:   []Param{{"path", "Such as /assets/images/campaigns/paper-boat/boat.jpg", true}},
			Type:    anyType, Errors: []int{404, 503},
			handle: a.mediaFile,
		},
		{
			Method: "POST", Pattern: "/admin/media/delete", Tag: "content",
			Summary: "Delete a campaign's uploaded files that are no longer used",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content, Action: "media.delete"}, In: "MediaRemoval",
			Out: "MediaRemoved", Errors: []int{404, 409},
			handle: a.removeMedia,
		},
		a.storeRoute("grant", "Get an upload URL for a video or recording in the media store, valid for an hour",
			"MediaGrant", Param{"size", "Of the file, in bytes", true},
			func(ctx context.Context, by media.ChangeMeta, u media.Upload, q url.Values) (any, error) {
				size, err := strconv.ParseInt(q.Get("size"), 10, 64)
				if err != nil {
					return nil, fault.New(fault.Invalid, "The size must be a whole number of bytes").In("size")
				}
				return a.services.Media.Grant(ctx, by, u, size)
			}),
		a.storeRoute("take", "Check a video or recording that was uploaded with a grant, and publish it", "MediaStored",
			Param{},
			func(ctx context.Context, by media.ChangeMeta, u media.Upload, _ url.Values) (any, error) {
				return withSlot(films, func() (any, error) { return a.services.Media.AcceptUpload(ctx, by, u) })
			}),
	}
}

// storeRoute returns a route for one file in the media store. The query identifies the file as it
// does for uploads.
func (a *API) storeRoute(name, summary, out string, more Param,
	do func(context.Context, media.ChangeMeta, media.Upload, url.Values) (any, error)) Route {
	r := Route{
		Method: "POST", Pattern: "/admin/media/" + name, Tag: "content", Summary: summary,
		Rules: Rules{Secret: AdminSecret, Operator: access.Content, NoBody: true, ByQuery: true, Action: "media." + name,
			campaign: campaignOfUpload},
		Query: append([]Param{{"kind", "video or audio", true}}, uploadQuery(true)...), Out: out,
		Errors: []int{404, 409, 503},
		handle: func(ctx context.Context, x *exchange) (any, error) {
			q := x.query()
			if q.Get("changeId") == "" {
				return nil, fault.New(fault.Invalid, "Missing changeId").In("changeId")
			}
			by, err := a.author(x, q.Get("changeId"))
			if err != nil {
				return nil, err
			}
			return do(ctx, media.ChangeMeta(by),
				media.Upload{Kind: media.Kind(q.Get("kind")), Use: useOf(x), Slug: q.Get("campaignSlug"),
					Name: q.Get("filename")}, q)
		},
	}
	if more.Name != "" {
		r.Query = append(r.Query, more)
	}
	return r
}

// uploadQuery returns the query parameters that identify an upload. If identified is set, as for
// the media store, changeId is required.
func uploadQuery(identified bool) []Param {
	return []Param{
		{"campaignSlug", "The campaign, for campaign files", false},
		{"use", "campaign, campaign-add-on, add-on or default; default campaign. The last two require a super admin", false},
		{"filename", "Lower-case letters, digits and hyphens, and one extension", true},
		{"changeId", "ID of the change; repeated requests with the same ID are applied once", identified},
	}
}

// withSlot runs do if a slot is free, and fails with code Busy otherwise. It limits the number of
// uploads in memory.
func withSlot(slots chan struct{}, do func() (any, error)) (any, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return do()
	default:
		return nil, fault.New(fault.Busy, "Too many uploads are in progress. Try again soon")
	}
}

// uploadRoute returns a route that accepts files of one kind as the request body.
func (a *API) uploadRoute(name, about string, k media.Kind, slots chan struct{}) Route {
	return Route{
		Method: "POST", Pattern: "/admin/settings/" + name + "-upload", Tag: "content",
		Summary: "Upload " + about + ", replacing a file with the same name",
		Rules: Rules{
			Secret: AdminSecret, Operator: access.Content, RawBody: true, Streamed: true, ByQuery: true, Cap: int(k.MaxSize()),
			Action: "media.upload_" + name, campaign: campaignOfUpload,
		},
		Query: append(uploadQuery(false), Param{"sha", "SHA of the file to replace; omitted for a new file", false}),
		Out:   "MediaStored", Errors: []int{404, 409},
		handle: func(ctx context.Context, x *exchange) (any, error) { return a.upload(ctx, x, k, slots) },
	}
}

// useOf returns the use of an upload: that in the query, by default a campaign file. Uploads of the
// logo always have the use Default.
func useOf(x *exchange) media.Use {
	if x.route.Operator == access.Platform {
		return media.Default
	}
	return media.Use(cmp.Or(x.query().Get("use"), string(media.Campaign)))
}

// campaignOfUpload returns the campaign of a campaign user's upload. It fails with code Forbidden
// for platform files, which only super admins may upload, and with code Invalid without a campaign.
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
	return withSlot(slots, func() (any, error) {
		body, err := x.read()
		if err != nil {
			return nil, err
		}
		return a.services.Media.Upload(ctx, media.ChangeMeta(by), media.Upload{
			Kind: k, Use: useOf(x), Slug: q.Get("campaignSlug"), Name: q.Get("filename"), SHA: q.Get("sha"), Bytes: body,
		})
	})
}

// read returns the request body, reading it from Stream if there is one.
func (x *exchange) read() ([]byte, error) {
	if x.Stream == nil {
		return x.Body, nil
	}
	return x.readAll(int64(x.route.cap()))
}

// MediaRemoval is the request body of POST /admin/media/delete.
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
	return a.services.Media.Remove(ctx, media.ChangeMeta(by), in.CampaignSlug, in.Paths)
}

// anyType makes browsers download a file instead of showing it, because repository files can be SVG
// images that contain scripts.
const anyType = "application/octet-stream"

func (a *API) mediaFile(ctx context.Context, x *exchange) (any, error) {
	b, err := a.services.Media.File(ctx, x.param, x.query().Get("path"))
	if err != nil {
		return nil, err
	}
	return Response{Status: 200, Body: b,
		Header: Header{"Content-Type": {anyType}, "Content-Disposition": {"attachment"}}}, nil
}

func (a *API) mediaList(ctx context.Context, slug string) (media.Listing, error) {
	return a.services.Media.List(ctx, slug)
}
