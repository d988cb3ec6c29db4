package httpapi

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// absent lists the routes that are not available on Workers, whose size limit leaves no room for
// the code that edits campaign files, renders pages, fulfils orders and manages report readers.
const absent = `GET /admin/content
POST /admin/content/preview
POST /admin/content/publish
GET /admin/content/history
POST /admin/content/undo
GET /admin/content/schema
POST /admin/content/page
GET /admin/settings
POST /admin/settings/preview
POST /admin/settings/publish
GET /admin/settings/history
POST /admin/settings/undo
GET /admin/settings/secrets
POST /admin/settings/logo-upload
POST /admin/settings/image-upload
POST /admin/settings/audio-upload
POST /admin/settings/video-upload
GET /admin/add-ons
POST /admin/add-ons/preview
POST /admin/add-ons/publish
GET /admin/add-ons/history
POST /admin/add-ons/undo
POST /admin/campaigns/create
POST /admin/campaigns/duplicate
GET /admin/campaigns/launch/:slug
POST /admin/campaigns/launch/:slug
POST /admin/campaigns/withdraw/:slug
GET /admin/campaigns/answers/:slug
GET /admin/campaigns/claims/:slug
GET /admin/add-ons/claims
POST /admin/campaigns/archive
GET /admin/media
GET /admin/media/:slug
GET /admin/media/:slug/file
POST /admin/media/delete
POST /admin/media/grant
POST /admin/media/take
POST /admin/campaign-preview/publish
GET /admin/campaign-preview/:slug
GET /admin/campaign-preview/:slug/reviewers
POST /admin/fulfilment/mark
POST /admin/fulfilment/import
POST /admin/supporters/note
POST /admin/supporters/address
POST /admin/supporters/links
GET /admin/report-readers
POST /admin/report-readers/confirm
POST /admin/report-readers/revoke`

// contentRoutes returns the routes in absent, which fail with code Unavailable and an explanation.
func (a *API) contentRoutes() []Route {
	var all []Route
	for _, route := range strings.Split(absent, "\n") {
		method, pattern, _ := strings.Cut(route, " ")
		all = append(all, Route{
			Method: method, Pattern: pattern,
			Rules: Rules{Secret: AdminSecret, Operator: access.SignedIn, RawBody: true, NoBody: true},
			handle: func(context.Context, *exchange) (any, error) {
				return nil, fault.New(fault.Unavailable, "This host cannot edit or preview campaigns. Push to their repository or use the dashboard's server")
			},
		})
	}
	return all
}

// mediaRoutes returns nothing: the media routes are in absent.
func (a *API) mediaRoutes() []Route { return nil }

// fulfilmentRoutes returns nothing: the fulfilment routes are in absent.
func (a *API) fulfilmentRoutes() []Route { return nil }

// previewRoutes returns nothing: the preview routes are in absent.
func (a *API) previewRoutes() []Route { return nil }

// visitRoutes returns nothing: Workers do not count visits.
func (a *API) visitRoutes() []Route { return nil }

// sentRoutes returns nothing: Workers do not send broadcasts.
func (a *API) sentRoutes() []Route { return nil }
