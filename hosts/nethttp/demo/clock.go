package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Clock is a clock that runs at normal speed with an adjustable offset from the system clock. The
// offset is stored in a file.
type Clock struct {
	file string

	mu     sync.Mutex
	offset time.Duration
}

// openClock restores the clock from the file, or starts a new one at start.
func openClock(file string, start time.Time) (*Clock, error) {
	c := &Clock{file: file}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = c.MoveTo(start)
		return c, err
	}
	if err == nil {
		err = json.Unmarshal(b, &c.offset)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the demo's clock %s: %w", file, err)
	}
	return c, nil
}

// Now returns the demo's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(c.offset + d)
}

// MoveTo sets the clock to a time.
func (c *Clock) MoveTo(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(time.Until(t))
}

// setUnsaved sets the clock to a time without saving it.
func (c *Clock) setUnsaved(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = time.Until(t)
}

func (c *Clock) set(offset time.Duration) error {
	b, err := json.Marshal(offset)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file+".new", b, 0o600); err != nil {
		return fmt.Errorf("saving the demo's clock: %w", err)
	}
	if err := os.Rename(c.file+".new", c.file); err != nil {
		return fmt.Errorf("saving the demo's clock: %w", err)
	}
	c.offset = offset
	return nil
}
