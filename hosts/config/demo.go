package config

import (
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
)

// DemoValues returns the variables to run the service on a local machine: in test mode, with the
// simulated processor and random secrets. Store them (see FormatEnv) so that links and sessions
// stay valid across restarts.
func DemoValues(random io.Reader) (map[string]string, error) {
	values := map[string]string{
		"APP_MODE":            "test",
		"SITE_BASE":           "http://127.0.0.1:8787",
		"WORKER_BASE":         "http://127.0.0.1:8787",
		"PSP_PROVIDER":        Sim,
		"PSP_PUBLISHABLE_KEY": "pk_test_simulator",
	}
	for _, s := range Settings() {
		if !s.Secret || s.need == "optional" || s.need == "mode" && !strings.HasSuffix(s.Variable, "_TEST") {
			continue
		}
		b := make([]byte, MinHMACSecret)
		if _, err := io.ReadFull(random, b); err != nil {
			return nil, fmt.Errorf("generate %s: %w", s.Variable, err)
		}
		values[s.Variable] = hex.EncodeToString(b)
	}
	values["PSP_SECRET_KEY_TEST"] = "sk_test_" + values["PSP_SECRET_KEY_TEST"]
	values["PSP_WEBHOOK_SECRET_TEST"] = "whsec_" + values["PSP_WEBHOOK_SECRET_TEST"]
	return values, nil
}

// Demo loads a valid configuration without an environment: from the DemoValues, the site file, and
// overrides, which take precedence. It adds a flat tax rate if the site file has none. site may be
// nil.
func Demo(random io.Reader, site fs.FS, overrides map[string]string) (Config, error) {
	values, err := DemoValues(random)
	if err != nil {
		return Config{}, err
	}
	if readSite(site, new(SettingErrors), new(SettingErrors))["pricing.sales_tax_rate"] == "" {
		values["SALES_TAX_RATE"] = "0.07875"
	}
	maps.Copy(values, overrides)
	return Load(Values(values), site)
}
