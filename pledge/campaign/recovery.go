package campaign

// Recovery is what a campaign does about a charge that failed.
type Recovery struct {
	// GraceDays is how long after the first failure the supporter may repair the
	// payment. Then the pledge is dropped for good.
	GraceDays int `json:"graceDays"`
	// RetryDays are the days after the first failure on which the same card is
	// tried again, where the refusal is one that may pass. They grow.
	RetryDays []int `json:"retryDays"`
	// Attempts is how many charges are tried altogether, whatever cards are given.
	Attempts int `json:"attempts"`
}

// The greatest recovery. The card networks count what is tried in thirty days
// and fine more than fifteen attempts.
const (
	MaxGraceDays = 60
	MaxAttempts  = 15
)

// DefaultRecovery holds where a campaign's file says nothing: two weeks, as
// supporters know it from elsewhere, with three more tries spread over them.
func DefaultRecovery() Recovery {
	return Recovery{GraceDays: 14, RetryDays: []int{2, 5, 10}, Attempts: 10}
}
