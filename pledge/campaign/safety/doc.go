// Package safety checks what people write into pages and messages before it is stored:
// plain text, links, media references and embeds. Package richtext does the same for
// Markdown.
//
// Control characters are removed from text. All other unsafe input is rejected with code
// fault.Invalid instead of being changed, and the message explains what to write. Messages never
// repeat the input.
package safety
