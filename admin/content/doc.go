// Package content edits campaigns, settings and add-ons in the Git repository that holds
// them.
//
// # Edits
//
// An Edit holds a field's path, the value that its editor saw, and the new value. It is applied to
// the current file if the field still has the old value, so that changes by others to other fields
// are kept; otherwise it is a conflict. A Draft is a set of edits. Service.Preview returns what
// publishing it would do, and Service.Publish commits it. A draft is published completely, as one
// commit, or not at all, and only if the resulting file passes the checks of the command "pledged
// check".
//
// # Errors
//
// A change that conflicts or would produce an invalid file fails with a *RefusedError, which
// lists all conflicts and problems. Other errors are faults of package fault.
//
// # Permissions
//
// Service.As returns a service that is limited to the fields that a caller may read and
// write.
package content
