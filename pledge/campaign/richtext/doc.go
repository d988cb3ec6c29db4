// Package richtext defines which Markdown people may write into pages and mails, parses
// it and renders it as HTML.
//
// The dialect is CommonMark with tables, ~~strikethrough~~ and bare http and https
// addresses as links. The only HTML allowed is the tags br, em, strong, i, b and u
// without attributes, inside a paragraph. In code, everything is text.
//
// [Check] validates a text when it is submitted. It rejects anything else with code fault.Invalid
// and a message that never repeats the input:
//
//	text, err := richtext.Check(input, campaign.MaxBody)
//
// [HTML] renders a text for pages. [Parse] returns the syntax tree that HTML renders,
// for other formats such as mails. The tree of any text, checked or not, contains only
// what Check accepts: Parse removes other HTML, unsafe links and unsafe images.
package richtext
