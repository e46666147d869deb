# Puts the HTML that cmark-gfm made of a Markdown file into a page of /docs: the list of pages, ids of headings as GitHub makes them, and links
# from one .md file to another. A link to a file of the source tree that is not a page becomes its text.

# The address of a page below /docs/: README.md is index.html, docs/guides/dump.md is guides/dump.html.
function address(file) {
    if (file == "README.md")
        return "index.html"
    sub(/^docs\//, "", file)
    sub(/README\.md$/, "index.md", file)
    sub(/\.md$/, ".html", file)
    return file
}

# A path relative to the folder of this page, without "." and "..", from the root of the source tree.
function resolved(path,    parts, count, i, kept, depth) {
    count = split(folder path, parts, "/")
    depth = 0
    for (i = 1; i <= count; i++) {
        if (parts[i] == "..")
            depth--
        else if (parts[i] != "" && parts[i] != ".")
            kept[++depth] = parts[i]
    }
    path = kept[1]
    for (i = 2; i <= depth; i++)
        path = path "/" kept[i]
    return path
}

function slug(text) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&[a-z]+;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

function with_links(line,    out, at, target, anchor, rest, close_at) {
    out = ""
    while (match(line, /<a href="[^"]*">/)) {
        out = out substr(line, 1, RSTART - 1)
        at = substr(line, RSTART + 9, RLENGTH - 11)
        line = substr(line, RSTART + RLENGTH)
        anchor = ""
        if (at !~ /^[a-z]+:/ && at !~ /^#/) {
            target = at
            if (match(target, /#.*/)) {
                anchor = substr(target, RSTART)
                target = substr(target, 1, RSTART - 1)
            }
            target = resolved(target)
            at = target in known ? root address(target) anchor : ""
        }
        if (at != "") {
            out = out "<a href=\"" at "\">"
        } else {
            close_at = index(line, "</a>")
            out = out substr(line, 1, close_at - 1)
            line = substr(line, close_at + 4)
        }
    }
    return out line
}

function with_pictures(line,    out, at) {
    out = ""
    while (match(line, /<img src="[^"]*"/)) {
        at = substr(line, RSTART + 10, RLENGTH - 11)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        at = resolved(at)
        sub(/.*\//, "pictures/", at)
        out = out "<img src=\"" root at "\""
    }
    return out line
}

# The first paragraph of a page in plain text, for previews of links.
function described(file,    row, text) {
    text = ""
    while ((getline row < file) > 0) {
        if (row ~ /^[[:space:]]*$/ && text != "")
            break
        if (row ~ /^(#|!|<|\[!|```|\||- )/ || row ~ /^[[:space:]]*$/)
            continue
        text = text (text == "" ? "" : " ") row
    }
    close(file)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[][`*]/, "", text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}

BEGIN {
    folder = page
    if (!sub(/[^\/]*$/, "", folder))
        folder = ""
    here = address(page)
    root = ""
    for (i = gsub(/\//, "/", here); i > 0; i--)
        root = root "../"
    while ((getline row < "docs/site/pages.txt") > 0) {
        if (row ~ /^#/)
            continue
        split(row, cells, "\t")
        files[++pages] = cells[1]
        known[cells[1]] = cells[2]
    }
    if (!(page in known)) {
        print "docs/site/pages.txt does not name " page > "/dev/stderr"
        exit 1
    }
    print "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">"
    print "<title>" known[page] (page == "README.md" ? ": documentation" : " · Orrery") "</title>"
    print "<meta name=\"description\" content=\"" described(page) "\">\n<meta property=\"og:site_name\" content=\"Orrery\">\n<meta property=\"og:title\" content=\"" known[page] "\">"
    print "<link rel=\"icon\" href=\"" root "../icon.svg\" type=\"image/svg+xml\">"
    print "<link rel=\"stylesheet\" href=\"" root "../css/tokens.css\">\n<link rel=\"stylesheet\" href=\"" root "../css/base.css\">\n<link rel=\"stylesheet\" href=\"" root "../css/docs.css\">"
    print "<script type=\"module\" src=\"" root "../js/docs.js\"></script>\n</head>\n<body>"
    print "<a class=\"skip\" href=\"#text\">Skip to the text</a>"
    print "<nav aria-label=\"Documentation\" data-root=\"" root "\">\n<p><a href=\"" root "../\">Open Orrery</a></p>"
    print "<p><input type=\"search\" placeholder=\"Search the documentation\" aria-label=\"Search the documentation\" hidden></p>\n<ul>"
    for (i = 1; i <= pages; i++)
        print "<li><a href=\"" root address(files[i]) "\"" (files[i] == page ? " aria-current=\"page\"" : "") ">" known[files[i]] "</a></li>"
    print "</ul>\n</nav>\n<main id=\"text\">"
}

{
    line = with_pictures(with_links($0))
    if (match(line, /^<h[1-6]>/)) {
        id = slug(line)
        if (seen[id]++)
            id = id "-" seen[id] - 1
        line = substr(line, 1, 3) " id=\"" id "\">" substr(line, 5)
    }
    gsub(/<table>/, "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>", line)
    gsub(/<\/table>/, "</table></div>", line)
    gsub(/<pre>/, "<pre tabindex=\"0\">", line)
    print line
}

END { if (page in known) print "</main>\n</body>\n</html>" }
