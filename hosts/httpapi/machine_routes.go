package httpapi

func (a *API) serviceRoutes() []Route {
	return []Route{
		a.securityTextRoute(),
		{
			Method: "GET", Pattern: "/healthz", Tag: "service",
			Summary: "Liveness check",
			Out:     "Health",
			handle:  plain(a.health),
		},
		{
			Method: "GET", Pattern: "/readyz", Tag: "service",
			Summary: "Readiness check",
			Out:     "Health", Errors: []int{503},
			handle: plain(a.ready),
		},
		{
			Method: "GET", Pattern: "/openapi.json", Tag: "service",
			Summary: "This document",
			Rules:   Rules{Public: true},
			Out:     "Document",
			handle:  a.serveDocument,
		},
		{
			Method: "POST", Pattern: "/test/setup", Tag: "service",
			Summary: "Create an active pledge for tests through a regular checkout",
			Rules:   Rules{TestOnly: true},
			In:      "TestSetupRequest", Out: "TestSetup", Errors: []int{404, 409, 503},
			handle: decoded(a.testSetup),
		},
	}
}
