package deployment

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const deploy = "../../deploy"

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(deploy, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// known reports whether the program reads a variable.
func known(variable string) bool {
	name := strings.TrimSuffix(variable, "_FILE")
	return slices.ContainsFunc(config.Settings(), func(s config.Setting) bool {
		return s.Variable == variable || s.Secret && s.Variable == name
	})
}

// required lists the secrets without which the service does not start in a mode.
func required(mode string) []string {
	var all []string
	_, err := config.Load(func(v string) (string, bool) {
		return map[string]string{"APP_MODE": mode}[v], v == "APP_MODE"
	}, nil)
	for line := range strings.SplitSeq(err.Error(), "\n") {
		name, _, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Secret && s.Variable == name }) {
			all = append(all, name)
		}
	}
	return all
}

type composed struct {
	Services map[string]struct {
		Environment map[string]string
		Secrets     []string
		Volumes     []string
		DependsOn   yaml.Node `yaml:"depends_on"`
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

func TestCompose(t *testing.T) {
	var c composed
	if err := yaml.Unmarshal([]byte(text(t, "compose/compose.yml")), &c); err != nil {
		t.Fatal(err)
	}
	data := map[string]bool{}
	for _, name := range []string{"pledged-1", "pledged-2"} {
		s, ok := c.Services[name]
		if !ok {
			t.Fatalf("no service %s", name)
		}
		for variable, value := range s.Environment {
			if !known(variable) {
				t.Errorf("%s: unknown variable %s", name, variable)
			}
			secret, is := strings.CutPrefix(value, "/run/secrets/")
			if is && (!slices.Contains(s.Secrets, secret) || c.Secrets[secret].File == "") {
				t.Errorf("%s: %s refers to a secret that the service does not have", name, variable)
			}
		}
		for _, secret := range append(required("test"), "DATABASE_URL") {
			if s.Environment[secret+"_FILE"] == "" {
				t.Errorf("%s has no %s", name, secret)
			}
		}
		volume, _, _ := strings.Cut(s.Volumes[0], ":")
		if _, is := c.Volumes[volume]; !is || data[volume] {
			t.Errorf("%s has no separate data folder", name)
		}
		data[volume] = true
	}
	listen, metrics := c.Services["pledged-1"].Environment["LISTEN"], c.Services["pledged-1"].Environment["METRICS_LISTEN"]
	for file, want := range map[string]string{
		"compose/Caddyfile":         "pledged-1" + listen + " pledged-2" + listen,
		"prometheus/prometheus.yml": `"pledged-1` + metrics + `", "pledged-2` + metrics + `"`,
		"Containerfile":             "EXPOSE " + listen[1:] + " " + metrics[1:],
	} {
		if !strings.Contains(text(t, file), want) {
			t.Errorf("%s has no %q", file, want)
		}
	}
	alerts := c.Services["alertmanager"]
	if config := text(t, "prometheus/alertmanager.yml"); !slices.ContainsFunc(alerts.Secrets, func(secret string) bool {
		return c.Secrets[secret].File != "" && strings.Contains(config, "/run/secrets/"+secret)
	}) {
		t.Error("the Alertmanager has no password")
	}
	if header := c.Services["pledged-1"].Environment["TRUSTED_PROXY_HEADER"]; !strings.Contains(text(t,
		"compose/Caddyfile"), "header_up "+header+" ") {
		t.Errorf("the proxy does not set %s", header)
	}
	_, keep, _ := strings.Cut(text(t, "compose/Caddyfile"), "\tkeepalive ")
	keep, _, _ = strings.Cut(keep, "\n")
	if d, err := time.ParseDuration(keep); err != nil || d >= nethttp.IdleTimeout {
		t.Errorf("idle timeout of the proxy %q, of a server %s", keep, nethttp.IdleTimeout)
	}
}

// The program accepts the example of environment variables once the secrets are
// set.
func TestComposeVariables(t *testing.T) {
	values := map[string]string{}
	for line := range strings.SplitSeq(text(t, "compose/pledged.env.example"), "\n") {
		if name, value, is := strings.Cut(line, "="); is && !strings.HasPrefix(line, "#") {
			values[name] = value
			if name != "SITE_HOST" && !known(name) { // the proxy's
				t.Errorf("unknown variable %s", name)
			}
		}
	}
	if !strings.HasSuffix(values["SITE_BASE"], "//"+values["SITE_HOST"]) {
		t.Error("the proxy serves another host")
	}
	for i, secret := range required("test") {
		values[secret] = strings.Repeat(string(rune('a'+i)), config.MinHMACSecret)
	}
	values["PSP_SECRET_KEY_TEST"] = "sk_test_" + strings.Repeat("k", 24)
	if _, err := config.Load(func(v string) (string, bool) { s, ok := values[v]; return s, ok }, nil); err != nil {
		t.Error(err)
	}
}

func TestSystemd(t *testing.T) {
	unit := text(t, "systemd/pledged.service")
	for line := range strings.SplitSeq(unit, "\n") {
		for _, assigned := range regexp.MustCompile(`[A-Z_]+=`).FindAllString(strings.TrimPrefix(line, "Environment="), -1) {
			if strings.HasPrefix(line, "Environment=") && assigned != "GOMEMLIMIT=" && !known(strings.TrimSuffix(assigned, "=")) {
				t.Errorf("unknown variable %s", assigned)
			}
		}
	}
	for _, secret := range required("live") {
		if !strings.Contains(unit, "Environment="+secret+"_FILE=%d/"+secret+"\n") ||
			!strings.Contains(unit, "LoadCredential="+secret+":") {
			t.Errorf("%s is not set", secret)
		}
	}
}

// exportedMetrics returns the names in a scrape of a server that has a value for every metric.
func exportedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	tel, err := telemetry.New("v1")
	if err != nil {
		t.Fatal(err)
	}
	tel.Watch(func(context.Context) (compose.Vitals, error) {
		film := compose.CampaignVitals{Slug: "film"}
		film.Job = &state.Job{}
		return compose.Vitals{LastCron: new(time.Now()), LastBackup: new(time.Now()), DiskSize: 1,
			Campaigns: []compose.CampaignVitals{film}}, nil
	}, slog.New(slog.DiscardHandler))
	_, end := tel.Begin(t.Context(), httptest.NewRequest("GET", "/", nil))
	end("/", http.StatusOK)
	tel.RecordCall(t.Context(), evidence.Request{Operation: "customers.create", Outcome: "done"})
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	exported := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)[{ ]`).FindAllStringSubmatch(w.Body.String(), -1) {
		exported[m[1]] = true
	}
	return exported
}

// Every metric in alerts and panels is exported by the program, and every alert
// links to a runbook.
func TestMonitoring(t *testing.T) {
	exported := exportedMetrics(t)
	runbooks, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	check := func(where, expression string) {
		for _, name := range regexp.MustCompile(`(?:pledgeworks|process)_\w+`).FindAllString(expression, -1) {
			if !exported[name] {
				t.Errorf("%s: no metric %s", where, name)
			}
		}
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text(t, "prometheus/alerts.yml")), &alerts); err != nil {
		t.Fatal(err)
	}
	for _, r := range alerts.Groups[0].Rules {
		check(r.Alert, r.Expr)
		_, anchor, _ := strings.Cut(r.Annotations["runbook"], "#")
		if heading := strings.ReplaceAll(anchor, "-", " "); anchor == "" ||
			!strings.Contains(strings.ToLower(strings.ReplaceAll(string(runbooks), "'", "")), "\n### "+heading+"\n") {
			t.Errorf("%s has no runbook: %s", r.Alert, anchor)
		}
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(text(t, "grafana/dashboard.json")), &board); err != nil || len(board.Panels) == 0 {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		check(p.Title, p.Targets[0].Expr)
	}
}
