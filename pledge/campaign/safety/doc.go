// Package safety judges what people write into pages and messages before it is
// stored: plain text, links, media references and embeds. Package richtext does
// the same for Markdown.
//
// Nothing is repaired that could change a meaning: text is cleaned of control
// characters, and everything else that is unsafe is refused with code
// fault.Invalid and a message that says what to write instead. The messages
// never repeat the input.
package safety
