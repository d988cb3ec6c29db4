package money_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		total   money.Cents
		weights []money.Cents
		want    []money.Cents
	}{
		{117, []money.Cents{2500, 500}, []money.Cents{98, 19}},
		{10, []money.Cents{1, 1, 1}, []money.Cents{4, 3, 3}},
		{2, []money.Cents{1, 2, 2}, []money.Cents{0, 1, 1}},
		{3, []money.Cents{5, 2}, []money.Cents{2, 1}},
		{5, []money.Cents{0, 7}, []money.Cents{0, 5}},
		{0, []money.Cents{3, 4}, []money.Cents{0, 0}},
		{money.Max, []money.Cents{money.Max}, []money.Cents{money.Max}},
		{0, []money.Cents{}, []money.Cents{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, money.Split(tt.total, tt.weights)); diff != "" {
			t.Errorf("split(%s, %v) (-want +got):\n%s", tt.total, tt.weights, diff)
		}
	}
}

// The parts add up to the payment, and each is non-negative and less than a cent from
// its exact share.
func FuzzSplit(f *testing.F) {
	f.Add(int64(117), int64(2500), int64(500), int64(1))
	f.Add(int64(1), int64(1), int64(1), int64(1))
	f.Add(int64(3_000_030), int64(100_000_000), int64(0), int64(49))
	f.Fuzz(func(t *testing.T, total, a, b, c int64) {
		weights := []money.Cents{money.Cents(a), money.Cents(b), money.Cents(c)}
		sum, err := money.Sum(weights...)
		if err != nil || sum == 0 || a < 0 || b < 0 || c < 0 || money.Cents(total).Check() != nil {
			t.Skip()
		}
		var added money.Cents
		for i, part := range money.Split(money.Cents(total), weights) {
			exact := money.Cents(total) * weights[i]
			if off := part*sum - exact; part < 0 || off <= -sum || off >= sum {
				t.Errorf("part %d of %d with weights %v: %d", i, total, weights, part)
			}
			added += part
		}
		if added != money.Cents(total) {
			t.Errorf("parts of %d add up to %d", total, added)
		}
	})
}
