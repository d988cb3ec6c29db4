// Package access manages the users of the dashboard: their roles and permissions, how they
// sign in, and their sessions.
//
// # Storage
//
// All records are in one object of a kv.Class (see Register). That makes every change
// atomic: two concurrent edits of a user cannot overwrite each other, a sign-in link works
// once, and the sessions of a removed or demoted user end with the same change. The Store
// holds copies under admin-users:v1, admin-login:{hash} and admin-session:{hash}. They are
// never read to make a decision.
//
// Sign-in links, codes, cookies and recovery codes are stored as hashes only.
//
// # Sign-in
//
// Service.RequestLink mails a link and a code, both bound to the requesting browser. Service.SignIn
// exchanges one of them for a session. Service.Check authenticates the session's cookie on each
// request. A user with passkeys must also use one (Service.UsePasskey) or a recovery code
// (Service.UseCode) before the session can be used for anything else; see Caller.Missing.
//
// # Errors
//
// Methods return faults of package fault, whose messages are shown to users. RequestLink can also
// fail with a QuotaError.
package access
