package postgreskv

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A read whose context ends does not wait for a database that does not answer.
func TestRead_EndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan bool)
		db := &DB{}
		db.readings = newReadings(db)
		db.readings.work = func(batch []*reading) {
			<-answer
			for _, it := range batch {
				close(it.done)
			}
		}
		within, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		value, err := db.get(within, "pledges", "key")
		if value != nil || !errors.Is(err, context.DeadlineExceeded) || !fault.Is(err, fault.Unavailable) {
			t.Errorf("%q, %v", value, err)
		}
		close(answer)
		if _, err := db.get(t.Context(), "pledges", "key"); err != nil {
			t.Errorf("a read with time left: %v", err)
		}
	})
}
