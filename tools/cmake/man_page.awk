# A man page (man(7) macros) from a page of docs/man, which uses this much of Markdown:
#
#   # name(1)   ## SECTION   ### Sub-section   paragraphs   indented code   - lists   | tables |   `code`   **bold**   *emphasis*   [text](link)
#   <!-- a line that is left out -->
#
#   awk -v version=0.1.0 -f man_page.awk geckoprof.1.md >geckoprof.1

# What troff would take for its own; then Markdown inside a line.
function text(line,   out, parts, count, i) {
  gsub(/\\\|/, "\001", line)                       # a bar in a table's cell
  gsub(/\\/, "\\e", line)
  gsub(/-/, "\\-", line)
  line = without_links(line)
  count = split(line, parts, "`")
  if (count > 0 && count % 2 == 0) {
    print FILENAME ":" NR ": code goes over the end of the line" >"/dev/stderr"
    exit 1
  }
  for (i = 1; i <= count; i++) out = out (i % 2 ? emphasized(parts[i]) : "\\fB" parts[i] "\\fR")
  while (match(out, /\*\*[^*]+\*\*/)) {
    out = substr(out, 1, RSTART - 1) "\\fB" substr(out, RSTART + 2, RLENGTH - 4) "\\fR" substr(out, RSTART + RLENGTH)
  }
  gsub("\001", "|", out)
  if (out ~ /^[.']/) out = "\\&" out
  return out
}

# One asterisk on either side of words; two are bold.
function emphasized(part,   out, inner) {
  while (match(part, /\*+[A-Za-z][^*]*\*+/)) {
    inner = substr(part, RSTART, RLENGTH)
    out = out substr(part, 1, RSTART - 1)
    part = substr(part, RSTART + RLENGTH)
    if (inner ~ /^\*[^*]+\*$/) inner = "\\fI" substr(inner, 2, length(inner) - 2) "\\fR"
    out = out inner
  }
  return out part
}

function without_links(line,   inner, close_at) {
  while (match(line, /\[[^\]]+\]\([^)]+\)/)) {
    inner = substr(line, RSTART + 1, RLENGTH - 2)
    close_at = index(inner, "](")
    line = substr(line, 1, RSTART - 1) substr(inner, 1, close_at - 1) substr(line, RSTART + RLENGTH)
  }
  return line
}

function begin(new_state) {
  if (new_state != "code") gaps = 0
  if (state == "code" && new_state != "code") print ".fi\n.RE"
  if (state != "code" && new_state == "code") print ".PP\n.RS 4\n.nf"
  if (state != "text" && new_state == "text") print ".PP"
  state = new_state
}

function trimmed(cell) {
  gsub(/^[ \t]+|[ \t]+$/, "", cell)
  return cell
}

# A row is a tagged paragraph: the first cell is the tag. The head and the line below it are left out.
function row(line,   cells, count, i) {
  if (state != "table") { begin("table"); head = 1 }
  if (head) { head = 0; return }
  if (line ~ /^\|[-| :]+\|$/) return
  gsub(/\\\|/, "\001", line)
  count = split(line, cells, "|")
  print ".TP\n" bold(cells[2])
  for (i = 3; i < count; i++) print text(trimmed(restored(cells[i])))
}
function restored(cell) { gsub("\001", "\\|", cell); return cell }
function bold(cell) {
  cell = trimmed(restored(cell))
  return cell ~ /`/ ? text(cell) : "\\fB" text(cell) "\\fR"
}

/^# / {
  name = substr($2, 1, index($2, "(") - 1)
  printf ".TH \"%s\" \"1\" \"\" \"geckoprof %s\" \"User Commands\"\n", toupper(name), version
  state = "start"
  next
}
/^<!--/ { next }
/^## / { begin("head"); print ".SH \"" text(substr($0, 4)) "\""; next }
/^### / { begin("head"); print ".SS \"" text(substr($0, 5)) "\""; next }
/^\|/ { row($0); next }
/^$/ { if (state == "code") gaps++; else if (state != "start" && state != "head") state = "gap"; next }
/^    / && state != "list" {
  begin("code")
  while (gaps > 0) { print ""; gaps-- }
  line = substr($0, 5)
  gsub(/\\/, "\\e", line)
  gsub(/-/, "\\-", line)
  print (line ~ /^[.']/ ? "\\&" : "") line
  next
}
/^- / { begin("list"); print ".IP \\(bu 3"; print text(substr($0, 3)); next }
{
  if (state == "head") state = "text"
  if (state != "list" && state != "text") begin("text")
  sub(/^ +/, "")
  print text($0)
}
END { begin("end") }
