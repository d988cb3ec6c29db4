// Package safety judges what people write into pages and messages before it is
// stored: plain text, rich text, links, media references and embeds.
//
// Nothing is repaired that could change a meaning: text is cleaned of control
// characters, and everything else that is unsafe is refused with code
// fault.Invalid and a message that says what to write instead. The messages
// never repeat the input.
//
// Rich text is Markdown in the dialect of [Extensions] with the tags br, em,
// strong, i, b and u. Whoever renders it uses the same dialect, so that what
// was judged is what is shown.
package safety
