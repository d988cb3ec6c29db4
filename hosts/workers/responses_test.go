package workers_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/internal/responses"
)

// Proves CFG-10, LIM-02, SEC-09, SEC-10, SEC-11, SEC-12, ERR-01.
func TestResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a worker")
	}
	m := startService(t)
	is := responses.Host{Ask: responses.Over(m.URL), Site: m.site, Slug: "bench"}
	responses.Run(t, is)
	t.Run("unthrottled address", func(t *testing.T) {
		is.Check(t, "GET", responses.Over(m.URL)(t, responses.Request{Method: "GET", Path: "/admin/cron/status",
			Header: map[string]string{"X-Admin-Key": "a guess", "CF-Connecting-IP": "192.0.2.9"}}), 401)
	})
	t.Run("votes namespace", func(t *testing.T) {
		m.send(t, "GET", "/votes?token=dev-token-bench", "", nil)
	})

	t.Run("site", m.testSite)
	for config, bindings := range deployments {
		t.Run("deployment by "+config, func(t *testing.T) { m.testDeployment(t, config, bindings) })
	}

	m.options.Data, m.options.Port, m.options.Variables["SITE_BASE"] = t.TempDir(), 0, "nowhere"
	for _, mode := range []psp.Mode{psp.Test, psp.Live} {
		m.options.Variables["APP_MODE"] = string(mode)
		refused := run(t, m.options)
		t.Run("failed start in "+string(mode)+" mode", func(t *testing.T) {
			is.Live = mode == psp.Live
			is.Check(t, "GET", responses.Over(refused.URL)(t, responses.Request{Method: "GET", Path: "/stats/bench"}), 503)
		})
	}
}
