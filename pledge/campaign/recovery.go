package campaign

// Recovery is a campaign's policy for failed charges.
type Recovery struct {
	// GraceDays is the number of days after the first failure within which the supporter can fix
	// the payment. Then the pledge is dropped.
	GraceDays int `json:"graceDays"`
	// RetryDays are the days after the first failure on which the same card is retried, if
	// the decline may be temporary. They are in increasing order.
	RetryDays []int `json:"retryDays"`
	// Attempts is the maximum number of charges, with any card.
	Attempts int `json:"attempts"`
}

// Maximum values of a Recovery. Card networks count the attempts within thirty days and
// fine more than fifteen.
const (
	MaxGraceDays = 60
	MaxAttempts  = 15
)

// DefaultRecovery returns the policy for campaigns whose file has none: a grace period of two
// weeks, as on similar sites, with three automatic retries.
func DefaultRecovery() Recovery {
	return Recovery{GraceDays: 14, RetryDays: []int{2, 5, 10}, Attempts: 10}
}
