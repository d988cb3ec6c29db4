package accounting_test

import (
	"encoding/csv"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// required is the environment variable that makes a missing hledger a test failure. make unit sets it
// after installing hledger.
const required = "PLEDGEWORKS_HLEDGER"

// hledger runs hledger with a journal as its input and returns its output.
func hledger(t *testing.T, journal string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("hledger")
	if err != nil && os.Getenv(required) != "" {
		t.Fatal("hledger is not installed; run make hledger")
	}
	if err != nil {
		t.Skip("hledger is not installed; run make hledger")
	}
	cmd := exec.Command(path, append([]string{"-f", "-"}, args...)...) //nolint:gosec // the installed hledger
	cmd.Stdin = strings.NewReader(journal)
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hledger %v: %v\n%s\n%s", args, err, out, journal)
	}
	return string(out)
}

// hledgerBalances returns the balances that hledger computes, by the account's name.
func hledgerBalances(t *testing.T, journal string) map[string]money.Cents {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(hledger(t, journal, "balance", "--no-total", "-O", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]money.Cents{}
	for _, row := range rows[1:] {
		digits, minus := strings.CutPrefix(strings.TrimSuffix(row[1], " USD"), "-")
		c, err := money.ReadDollars(digits)
		if err != nil {
			t.Fatalf("%q: %v", row[1], err)
		}
		if minus {
			c = -c
		}
		out[row[0]] = c
	}
	return out
}

// hledger accepts the ledger and the journals, and computes the balances of the ledger's lines: after
// charges, fees, refunds, a failed and a repaid refund, disputes that were won and lost, and payouts, one of which failed.
func TestHledger(t *testing.T) {
	journals, err := accounting.Collect("night-ferry", pledgeSeq(movedPledge()), entrySeq(movements()...), denver)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	err = accounting.WriteLedger(&text, "night-ferry", entrySeq(movements()...), accounting.Names{}, denver)
	if err != nil {
		t.Fatal(err)
	}
	names := map[accounting.Account]string{accounting.Clearing: "Assets:Processor", accounting.Bank: "Assets:Bank",
		accounting.Fees: "Expenses:ProcessorFees", accounting.Pledges: "Income:Pledges", accounting.AddOns: "Income:AddOns",
		accounting.Tips: "Income:Tips", accounting.Tax: "Liabilities:SalesTax",
		accounting.Losses: "Expenses:DisputeLosses", accounting.Suspense: "Assets:Suspense"}
	want := map[string]money.Cents{}
	for account, sum := range balances(movements()) {
		want[names[account]] = sum
	}
	for name, file := range map[string]string{
		"the ledger":   text.String(),
		"the journals": formatted(t, accounting.PlainText, journals, accounting.Names{}),
	} {
		hledger(t, file, "check")
		if diff := cmp.Diff(want, hledgerBalances(t, file)); diff != "" {
			t.Errorf("balances of %s (-want +got):\n%s", name, diff)
		}
	}
	if n := strings.Count(hledger(t, text.String(), "print", "tag:booked=2027-02-18"), "refund pi_1"); n != 1 {
		t.Errorf("hledger finds %d entries that were booked on 2027-02-18, want 1", n)
	}
}
