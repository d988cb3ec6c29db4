package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/schema"
)

type schemaCommand struct {
	Of string `arg:"" help:"campaign, addon or settings." enum:"campaign,addon,settings"`
}

// Run prints the JSON Schema of a kind of file.
func (c schemaCommand) Run(w *environ) error {
	text, _ := schema.Schema(c.Of) // the enum allows only existing kinds
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w.out, out.String())
	return err
}
