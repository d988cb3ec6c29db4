package httpapi

import (
	"slices"
)

// table returns all routes with their rules.
func (a *API) table() []Route {
	return slices.Concat(
		a.checkoutRoutes(),
		a.supporterRoutes(),
		a.publicRoutes(),
		a.webhookRoutes(),
		a.adminRoutes(),
		a.resolveRoutes(), a.termsRoutes(), a.reopenRoutes(),
		a.orderRoutes(),
		a.bookRoutes(),
		a.broadcastRoutes(),
		a.subscriptionRoutes(),
		a.reminderRoutes(),
		a.draftRoutes(),
		a.signInRoutes(),
		a.userRoutes(),
		a.auditRoutes(),
		a.reportRoutes(), a.analyticsRoutes(), a.visitRoutes(),
		a.accountingRoutes(),
		a.disputesRoutes(), a.payoutsRoutes(),
		a.refundRoutes(),
		a.refundRunRoutes(),
		a.supportersRoutes(), a.overviewRoutes(),
		a.fulfilmentRoutes(),
		a.pledgeHealthRoutes(),
		a.marketingRoutes(),
		a.suppressionRoutes(),
		a.observabilityRoutes(),
		a.healthRoutes(),
		a.passkeyRoutes(),
		a.contentRoutes(),
		a.mediaRoutes(),
		a.previewRoutes(),
		a.rehearsalRoutes(),
		a.sentRoutes(),
		a.serviceRoutes(),
	)
}
