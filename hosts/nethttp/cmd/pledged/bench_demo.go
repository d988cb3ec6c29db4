//go:build demo

package main

import "errors"

// benchCommand is not available in a program built with -tags demo.
type benchCommand struct{}

func (benchCommand) Run(*environ) error {
	return errors.New("this program was built with -tags demo, which has no bench: build it without the tag")
}
