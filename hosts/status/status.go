// Package status maps fault codes to HTTP statuses. All hosts use it.
package status

import "github.com/pledgeworks/pledgeworks/pledge/fault"

var statuses = map[fault.Code]int{
	fault.Invalid:               400,
	fault.Unauthorized:          401,
	fault.Forbidden:             403,
	fault.NotFound:              404,
	fault.Conflict:              409,
	fault.SoldOut:               409,
	fault.Busy:                  409,
	fault.EditingOff:            409,
	fault.CampaignIndexRequired: 409,
	fault.Gone:                  410,
	fault.Unavailable:           503,
	fault.Internal:              500,
}

// Of returns the HTTP status of a fault code, or 0 for an unknown code.
func Of(code fault.Code) int { return statuses[code] }
