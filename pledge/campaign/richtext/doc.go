// Package richtext defines the Markdown dialect of campaign pages and mails, parses it, and renders
// it as HTML.
//
// The dialect is CommonMark with tables, ~~strikethrough~~ and bare http and https
// addresses as links. The only HTML allowed is the tags br, em, strong, i, b and u
// without attributes, inside a paragraph. In code, everything is text.
//
// [Check] validates a text when it is submitted. It rejects other HTML, unsafe addresses and
// oversized texts with code fault.Invalid. The message never repeats the input:
//
//	text, err := richtext.Check(input, campaign.MaxBody)
//
// [HTML] renders a text for pages. [Parse] returns the syntax tree that HTML renders, for other
// formats such as plain text. Parse removes other HTML, unsafe links and unsafe images from the
// tree, so texts that were not checked are safe to render, too.
package richtext
