package config_test

import (
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

func ExampleLoad() {
	env := config.Values(map[string]string{"APP_MODE": "test", "SITE_BASE": "http://localhost:4000"})
	content := fstest.MapFS{"site.yml": {Data: []byte("pricing:\n  sales_tax_rate: 7.875\n")}}

	_, err := config.Load(env, content)
	var faults config.SettingErrors
	errors.As(err, &faults)
	for _, f := range faults[:2] {
		fmt.Println(f.Name, "-", f.Problem)
	}
	// Output:
	// pricing.sales_tax_rate - is invalid: A rate must be a decimal fraction from 0 to 1, such as 0.07875
	// WORKER_BASE - is missing
}
