// Package safety checks what people write into pages and messages before it is stored:
// plain text, links, media references and embeds. Package richtext does the same for
// Markdown.
//
// Control characters are removed from text. Everything else that is unsafe is refused
// with code fault.Invalid rather than changed, and the message explains what to write
// instead. Messages never repeat the input.
package safety
