// Package fulfilment marks the parcels of charged pledges as packed or sent: a list of
// parcels, a single scanned one, or those in a carrier's file.
//
// The order object stores the status of each parcel and who set it; see order.Act.
// Service.Mark and Service.Import take a change ID, so that a repeated request marks a
// parcel only once. A mark that changes nothing is not recorded.
package fulfilment
