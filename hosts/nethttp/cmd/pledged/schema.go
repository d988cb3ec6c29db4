package main

import "github.com/pledgeworks/pledgeworks/hosts/schema"

type schemaCommand struct {
	Of string `arg:"" help:"campaign, addon or settings." enum:"campaign,addon,settings"`
}

// Run prints the JSON Schema of a kind of file.
func (c schemaCommand) Run(w *world) error {
	text, _ := schema.JSON(c.Of) // the enum has those that there are
	_, err := w.out.Write(text)
	return err
}
