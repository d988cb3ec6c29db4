//go:build demo

package main

import "errors"

// benchCommand is not in a program that is built for the demo.
type benchCommand struct{}

func (benchCommand) Run(*world) error {
	return errors.New("this program was built with -tags demo, which has no bench: build it without the tag")
}
