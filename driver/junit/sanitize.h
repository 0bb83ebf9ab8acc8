// Bytes of any kind made into text that XML 1.0 allows.
//
// XML 1.0 (fifth edition, production [2] Char) allows tab, line feed, carriage return,
// U+0020..U+D7FF, U+E000..U+FFFD and U+10000..U+10FFFF; a character reference such as `&#27;` may
// not name any other character either. What it forbids is made visible, never dropped:
//   - a control character, U+FFFE or U+FFFF is spelled `#x1B`, `#xFFFE`: as pytest (8.1 and later,
//     and everywhere in names) spells it, so that one report has one spelling;
//   - a byte that is not UTF-8 becomes U+FFFD.
// DEL is legal, but pytest spells it `#x7F`, and so do we.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead {

// `bytes` as legal characters. Nothing is stripped: for names and attributes that are compared.
std::string legal_xml_characters(std::string_view bytes);

// `bytes` as legal characters without ANSI escape sequences, raw ones and those that pytest has
// already spelled (`#x1B[31m`). For messages, reports and output.
std::string legal_xml_text(std::string_view bytes);

// The characters past U+FFFF that pytest before 8.1 spelled by mistake (`#x1F600`), restored. A
// numeric character reference that is text of its own (`&#x1F600;`) is left alone.
std::string restore_spelled_characters(std::string_view text);

// A document whose only faults are forbidden characters or references to them made well-formed:
// they are spelled in place. The markup is not looked at further than CDATA sections.
std::string repair_xml_characters(std::string_view document);

// `text` for an element's content, or for an attribute between double quotes, where line breaks
// and tabs are written as references because a parser would make spaces of them. `text` is legal.
std::string escape_xml_text(std::string_view text);
std::string escape_xml_attribute(std::string_view text);

}  // namespace bulkhead
