// Package richtext decides which Markdown people may write into pages and mails, parses it
// and renders it as HTML.
//
// The dialect is CommonMark with tables, ~~strikethrough~~ and bare http and https addresses
// as links. Of HTML it takes the tags br, em, strong, i, b and u without attributes, inside
// a paragraph. In code, everything is text.
//
// [Check] refuses a text with anything else when it is read, with code fault.Invalid and a
// message that never repeats the input:
//
//	text, err := richtext.Check(input, campaign.MaxBody)
//
// [HTML] renders a text for pages. [Parse] returns the syntax tree that HTML renders, for
// other formats such as mails. The tree of any text, checked or not, holds only what Check
// accepts: Parse removes other HTML, unsafe links and unsafe images.
package richtext
