package stripe

import (
	"context"

	stripego "github.com/stripe/stripe-go/v82"
)

// client is the part of stripe.Client that the adapter uses. The complete client would link all two
// hundred services of the library, with all their types, into the program.
type client struct {
	V1Accounts interface {
		Retrieve(context.Context, *stripego.AccountRetrieveParams) (*stripego.Account, error)
	}
	V1Customers interface {
		Create(context.Context, *stripego.CustomerCreateParams) (*stripego.Customer, error)
		Update(context.Context, string, *stripego.CustomerUpdateParams) (*stripego.Customer, error)
		List(context.Context, *stripego.CustomerListParams) stripego.Seq2[*stripego.Customer, error]
	}
	V1CheckoutSessions interface {
		Create(context.Context, *stripego.CheckoutSessionCreateParams) (*stripego.CheckoutSession, error)
		Retrieve(context.Context, string, *stripego.CheckoutSessionRetrieveParams) (*stripego.CheckoutSession, error)
		List(context.Context, *stripego.CheckoutSessionListParams) stripego.Seq2[*stripego.CheckoutSession, error]
		Expire(context.Context, string, *stripego.CheckoutSessionExpireParams) (*stripego.CheckoutSession, error)
	}
	V1PaymentIntents interface {
		Create(context.Context, *stripego.PaymentIntentCreateParams) (*stripego.PaymentIntent, error)
		Retrieve(context.Context, string, *stripego.PaymentIntentRetrieveParams) (*stripego.PaymentIntent, error)
		List(context.Context, *stripego.PaymentIntentListParams) stripego.Seq2[*stripego.PaymentIntent, error]
		Cancel(context.Context, string, *stripego.PaymentIntentCancelParams) (*stripego.PaymentIntent, error)
	}
	V1PaymentMethods interface {
		Retrieve(context.Context, string, *stripego.PaymentMethodRetrieveParams) (*stripego.PaymentMethod, error)
		Detach(context.Context, string, *stripego.PaymentMethodDetachParams) (*stripego.PaymentMethod, error)
	}
	V1NewRefunds interface { // with the refund key
		Create(context.Context, *stripego.RefundCreateParams) (*stripego.Refund, error)
	}
	V1Refunds interface {
		List(context.Context, *stripego.RefundListParams) stripego.Seq2[*stripego.Refund, error]
	}
	V1Disputes interface {
		List(context.Context, *stripego.DisputeListParams) stripego.Seq2[*stripego.Dispute, error]
	}
	V1BalanceTransactions interface {
		List(context.Context, *stripego.BalanceTransactionListParams) stripego.Seq2[*stripego.BalanceTransaction, error]
	}
	V1Payouts interface {
		List(context.Context, *stripego.PayoutListParams) stripego.Seq2[*stripego.Payout, error]
	}
	V1RadarEarlyFraudWarnings interface {
		List(context.Context, *stripego.RadarEarlyFraudWarningListParams) stripego.Seq2[*stripego.RadarEarlyFraudWarning, error]
	}
}

// newClient returns a client that authenticates with a key, and creates refunds with another one.
func newClient(key, refundKey string, b stripego.Backend) client {
	var names stripego.Client // provides the services' types, which the library does not export
	accounts, customers, sessions := service(names.V1Accounts), service(names.V1Customers),
		service(names.V1CheckoutSessions)
	intents, methods := service(names.V1PaymentIntents), service(names.V1PaymentMethods)
	refunds, newRefunds, disputes := service(names.V1Refunds), service(names.V1Refunds), service(names.V1Disputes)
	balance, payouts := service(names.V1BalanceTransactions), service(names.V1Payouts)
	warnings := service(names.V1RadarEarlyFraudWarnings)
	accounts.B, accounts.Key = b, key
	customers.B, customers.Key = b, key
	sessions.B, sessions.Key = b, key
	intents.B, intents.Key = b, key
	methods.B, methods.Key = b, key
	refunds.B, refunds.Key = b, key
	newRefunds.B, newRefunds.Key = b, refundKey
	disputes.B, disputes.Key = b, key
	balance.B, balance.Key = b, key
	payouts.B, payouts.Key = b, key
	warnings.B, warnings.Key = b, key
	return client{accounts, customers, sessions, intents, methods, newRefunds, refunds, disputes, balance, payouts, warnings}
}

// service returns a new service of the type of its argument.
func service[T any](*T) *T { return new(T) }
