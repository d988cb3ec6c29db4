package killtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// One of two servers has a clock that is twenty minutes wrong. It sells, and charges
// nobody; the other one settles.
func TestWrongClock(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real programs and a database")
	}
	for _, wrong := range []time.Duration{20 * time.Minute, -20 * time.Minute} {
		w := newWorld(t, pledged(t), map[string]string{"DATABASE_URL": cluster.Database(t)}, 0, wrong)
		w.write("film", 10)
		w.write("dream", 900_000)
		w.fleet.start()
		right, off := w.fleet.servers[0], w.fleet.servers[1]
		for i, at := range []*server{right, off, right, off} {
			w.made = append(w.made, w.buys(at, fmt.Sprintf("p%d@example.org", i), "seat"))
		}
		right.kill()
		w.shift(40 * 24 * time.Hour)
		status, err := off.once("POST", "/admin/settle/film", w.asSettler(), nil, nil)
		if status != http.StatusConflict || err == nil || !strings.Contains(err.Error(), "clock is") {
			t.Errorf("with a clock %s wrong: %d, %v", wrong, status, err)
		}
		if n := len(w.sim.Books()); n != 0 {
			t.Errorf("it charged %d", n)
		}
		right.start()
		w.settle()
		w.booksAgree()
	}
}
