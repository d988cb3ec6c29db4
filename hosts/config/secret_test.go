package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// Proves STG-03: a secret is not shown, whatever formats it.
func TestSecret_IsRedacted(t *testing.T) {
	secret := config.Secret("hunter2")
	holder := struct {
		S config.Secret
		M map[string]config.Secret
	}{secret, map[string]config.Secret{"key": secret}}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%U", "%10.3s"} {
		fmt.Fprintf(&out, verb+" ", secret)
		fmt.Fprintf(&out, verb+" ", &holder)
	}
	fmt.Fprint(&out, secret.String(), secret.GoString(), errors.New(secret.String()))
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("start", "secret", secret, "all", holder)
	}
	asJSON, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(asJSON)
	out.Write(asYAML)
	if s := out.String(); strings.Contains(s, "hunter2") || strings.Contains(s, "68756e74657232") {
		t.Errorf("the secret is visible:\n%s", s)
	}
	if secret.Reveal() != "hunter2" || !secret.IsSet() {
		t.Error("Reveal does not return the secret")
	}
}

func TestRedacted_HidesSecrets(t *testing.T) {
	cfg := load(t, valid(map[string]string{"LOCAL_TAX_API_KEY": unset}), "")
	shown := map[string]string{}
	for _, e := range cfg.Redacted() {
		shown[e.Variable] = e.Value
	}
	for variable, want := range map[string]string{
		"ADMIN_SECRET": "********", "LOCAL_TAX_API_KEY": "", "SITE_BASE": "https://site.example",
		"CARRIER_TIMEOUT_MS": "5000", "SHIPPING_FALLBACK_FLAT_RATE": "3.00", "SALES_TAX_RATE": "0.07875",
	} {
		if shown[variable] != want {
			t.Errorf("%s = %q, want %q", variable, shown[variable], want)
		}
	}
	for _, form := range []string{"%v", "%+v", "%#v"} {
		if s := fmt.Sprintf(form, cfg); strings.Contains(s, "sk_live_1") || strings.Contains(s, strings.Repeat("a", 32)) {
			t.Errorf("%s of the Config contains a secret", form)
		}
	}
}

// Proves CFG-31.
func TestSecretSources(t *testing.T) {
	files := map[string]string{"/run/magic": strings.Repeat("m", 40) + "\n", "/run/empty": "\n"}
	readFile := func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	env := config.SecretFiles(valid(map[string]string{"MAGIC_LINK_SECRET": unset, "MAGIC_LINK_SECRET_FILE": "/run/magic"}),
		readFile)
	if got := load(t, env, "").Secrets.MagicLink.Reveal(); got != strings.Repeat("m", 40) {
		t.Errorf("from a file: %q", got)
	}
	for name, bad := range map[string]map[string]string{
		"absent file": {"MAGIC_LINK_SECRET": unset, "MAGIC_LINK_SECRET_FILE": "/run/none"},
		"empty file":  {"MAGIC_LINK_SECRET": unset, "MAGIC_LINK_SECRET_FILE": "/run/empty"},
		"both":        {"MAGIC_LINK_SECRET_FILE": "/run/magic"},
	} {
		faults := faultsOf(t, config.SecretFiles(valid(bad), readFile), "")
		if len(faults) != 1 || faults[0].Name != "MAGIC_LINK_SECRET_FILE" {
			t.Errorf("%s: faults are %v", name, faults)
		}
	}
	// Only secrets are read from files.
	env = config.SecretFiles(valid(map[string]string{"PLATFORM_NAME_FILE": "/run/magic"}), readFile)
	if got := load(t, env, "").Site.Name; got != "Pledgeworks" {
		t.Errorf("name = %q", got)
	}

	dir := fstest.MapFS{
		config.EnvFile: {Data: []byte("# local\nexport LOCAL_TAX_API_KEY='from file'\nADMIN_SECRET=\"from file\"\n")}}
	local, err := config.WithEnvFile(valid(nil), dir)
	if err != nil {
		t.Fatal(err)
	}
	secrets := load(t, local, "").Secrets
	if secrets.LocalTaxAPIKey.Reveal() != "from file" || secrets.Admin.Reveal() != "admin" {
		t.Errorf("from .env: %q, %q", secrets.LocalTaxAPIKey.Reveal(), secrets.Admin.Reveal())
	}
	if !strings.Contains("\n"+read(t, ".gitignore"), "\n"+config.EnvFile+"\n") {
		t.Error("version control does not ignore " + config.EnvFile)
	}
	if _, err := config.WithEnvFile(valid(nil), fstest.MapFS{}); err != nil {
		t.Errorf("without a .env: %v", err)
	}
}

// Proves CFG-42: environment variables that are not settings have no effect.
func TestLoad_IgnoresUnknownVariables(t *testing.T) {
	with := load(t, valid(map[string]string{"REPOSITORY_WORKFLOW_TOKEN": "ghost", "GITHUB_TOKEN": "ghost"}), "")
	if diff := cmp.Diff(load(t, valid(nil), ""), with, rates); diff != "" {
		t.Errorf("an unknown variable changed the configuration:\n%s", diff)
	}
}

func TestParseEnv_Faults(t *testing.T) {
	_, err := config.ParseEnv("A=1\nnonsense\n1B=2\nC='open\nA=3\n")
	var faults config.SettingErrors
	if !errors.As(err, &faults) || len(faults) != 4 {
		t.Fatalf("faults = %v", err)
	}
	for i, name := range []string{".env line 2", ".env line 3", ".env line 4", ".env line 5"} {
		if faults[i].Name != name {
			t.Errorf("fault %d names %s, want %s", i, faults[i].Name, name)
		}
	}
}

func TestDemo(t *testing.T) {
	if _, err := config.Demo(strings.NewReader(strings.Repeat("x", 4096)), nil, nil); err == nil {
		t.Error("two equal secrets were accepted")
	}
	cfg, err := config.Demo(seeded(0), nil, map[string]string{"LISTEN": ":9", "WORKER_BASE": "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Processor.Provider != config.Sim || cfg.Server.Listen != ":9" || len(cfg.Warnings) != 0 {
		t.Errorf("demo = %+v", cfg)
	}
	if _, err := config.Demo(strings.NewReader("short"), nil, nil); err == nil {
		t.Error("too little randomness was accepted")
	}

	values, err := config.DemoValues(seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.FormatEnv(values)
	if err != nil {
		t.Fatal(err)
	}
	back, err := config.ParseEnv(text)
	if diff := cmp.Diff(values, back); err != nil || diff != "" {
		t.Errorf("stored values differ: %v\n%s", err, diff)
	}
}

// seeded returns a source of bytes that generates no secret twice.
func seeded(seed int64) io.Reader { return rand.New(rand.NewSource(seed)) }

func FuzzParseEnv(f *testing.F) {
	for _, s := range []string{"", "A=1", "export A = 'b c'\n#x\r\nB=\"\"", "=", "A='", "A=\x00\nA"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := config.ParseEnv(text)
		if err != nil {
			return
		}
		written, err := config.FormatEnv(values)
		if err != nil {
			return
		}
		back, err := config.ParseEnv(written)
		if diff := cmp.Diff(values, back); err != nil || diff != "" {
			t.Errorf("%q does not round-trip: %v\n%s", text, err, diff)
		}
	})
}

func FuzzSiteFile(f *testing.F) {
	f.Add(fullSite)
	f.Add("pricing: &a {max_tip_percent: *a}")
	f.Add("<<: {platform: {timezone: UTC}}")
	f.Add("shipping: {carrier: {enabled: [true]}}")
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := config.Load(valid(nil), site(text))
		if err != nil {
			var faults config.SettingErrors
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Fatalf("error is %T: %v", err, err)
			}
			return
		}
		if err := cfg.Shipping.FallbackFlatRate.Check(); err != nil {
			t.Errorf("accepted a flat rate of %d cents", cfg.Shipping.FallbackFlatRate)
		}
	})
}
