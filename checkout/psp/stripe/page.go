package stripe

import "github.com/pledgeworks/pledgeworks/checkout/psp"

// PaymentPage returns the address of a payment's page in Stripe's dashboard.
func PaymentPage(mode psp.Mode, paymentID string) string {
	if mode == psp.Test {
		return "https://dashboard.stripe.com/test/payments/" + paymentID
	}
	return "https://dashboard.stripe.com/payments/" + paymentID
}
