package compose

import "github.com/pledgeworks/pledgeworks/kv"

// Editing is nothing on a worker, whose program has no room for what reads and writes
// campaigns' files.
type Editing = struct{}

func (s *Services) editing() Editing { return Editing{} }

// Media is nothing there either.
type Media = struct{}

func (s *Services) media() Media { return Media{} }

// Films are kept nowhere.
type Films = struct{}

// Fulfilment is none: parcels are marked by another host.
type Fulfilment = struct{}

func (s *Services) fulfilment() Fulfilment { return Fulfilment{} }

// Previews are none either.
type Previews = struct{}

func (s *Services) previews() Previews { return Previews{} }

func registerPreviews(*kv.Class) {}
