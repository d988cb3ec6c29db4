package usage

// Plan is a Cloudflare plan.
type Plan string

// The plans.
const (
	Free Plan = "free"
	Paid Plan = "paid"
)

func (p Plan) name() string {
	if p == Paid {
		return "Workers Paid"
	}
	return "Workers Free"
}

// The IDs of limits that are not limits on KV operations.
const (
	workersRequests = "workers.requests"
	objectsRequests = "objects.requests"
	keysStored      = "kv.stored"
)

// actions maps the IDs of KV limits to Cloudflare's names of operations.
var actions = map[string]string{"kv.reads": "read", "kv.writes": "write", "kv.deletes": "delete", "kv.lists": "list"}

type limit struct {
	id, name, unit, period string
	limit                  int64
	source                 string
}

// Cloudflare's documentation of the limits, as of November 23, 2026.
const (
	workersPricing = "https://developers.cloudflare.com/workers/platform/pricing/"
	kvPricing      = "https://developers.cloudflare.com/kv/platform/pricing/"
	objectsPricing = "https://developers.cloudflare.com/durable-objects/platform/pricing/"
)

const gigabyte = 1_000_000_000

// limits returns a free plan's daily limits, beyond which requests fail until the next day,
// or a paid plan's monthly allowance, beyond which usage is billed.
func (p Plan) limits() []limit {
	if p == Paid {
		return limitsOf("month", 10_000_000, 1_000_000, 10_000_000, 1_000_000)
	}
	return limitsOf("day", 100_000, 100_000, 100_000, 1_000)
}

func limitsOf(period string, workers, objects, reads, writes int64) []limit {
	return []limit{
		{workersRequests, "Requests of Workers", "requests", period, workers, workersPricing},
		{objectsRequests, "Requests of Durable Objects", "requests", period, objects, objectsPricing},
		{"kv.reads", "Keys read", "keys", period, reads, kvPricing},
		{"kv.writes", "Keys written", "keys", period, writes, kvPricing},
		{"kv.deletes", "Keys deleted", "keys", period, writes, kvPricing},
		{"kv.lists", "Lists of keys", "requests", period, writes, kvPricing},
		{keysStored, "Stored in KV", "bytes", "", gigabyte, kvPricing},
	}
}

func (p Plan) severity(used, limit int64) Severity {
	switch {
	case used >= limit && p != Paid:
		return Critical
	case used*5 >= limit*4:
		return Warning
	}
	return OK
}
