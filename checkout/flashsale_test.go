package checkout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// A hundred units are on sale, and fifty thousand supporters try to get one at the same time.
// Exactly a hundred do. A start that is refused writes nothing and runs at most two commands, which
// only read.
func TestStart_FlashSale(t *testing.T) {
	starts, units := 50_000, 100
	if testing.Short() {
		starts = 1000
	}
	w := newFixture(t)
	w.edit("limit_total: 3", fmt.Sprint("limit_total: ", units))
	ops := map[memkv.OpKind]int{}
	w.fail = func(op memkv.Op) error {
		if !op.After {
			ops[op.Kind]++
		}
		return nil
	}
	got := 0
	for i := range starts {
		clear(ops)
		r := request(fmt.Sprintf("s%d@example.org", i), seats(1))
		r.Client, r.ClientNetwork = fmt.Sprint("client", i), fmt.Sprint("network", i)
		_, err := w.svc.Start(w.ctx, r)
		w.advance(time.Millisecond)
		switch {
		case err == nil:
			got++
			continue
		case codeOf(err) != fault.SoldOut:
			t.Fatalf("start %d is refused with %v", i, err)
		}
		if writes := ops[memkv.OpPut] + ops[memkv.OpDelete] + ops[memkv.OpIncrement] + ops[memkv.OpDo]; writes > 0 || ops[memkv.OpQuery] > 2 {
			t.Fatalf("start %d is refused after the operations %v, want no write and at most two queries", i, ops)
		}
	}
	if stock := w.stock("film", "tier/seat"); got != units || stock != (inventory.Stock{Held: units}) {
		t.Errorf("%d of %d starts got one of %d units; stock %+v", got, starts, units, stock)
	}
}
