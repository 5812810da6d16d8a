//! A chapter as HTML: its text between the list of chapters and its neighbours.

use pulldown_cmark::{CowStr, Event, Tag, html};

use super::summary::{Entry, Summary};
use super::{escaped, file_of};
use crate::pages::{headings, is_local, parser, resolve};

pub(super) struct Chapter<'a> {
    /// Place in the summary.
    pub(super) number: usize,
    pub(super) text: &'a str,
    pub(super) summary: &'a Summary,
}

impl Chapter<'_> {
    fn entry(&self) -> &Entry {
        &self.summary.entries[self.number]
    }

    /// The whole file.
    pub(super) fn html(&self) -> String {
        let base = "../".repeat(self.entry().page.matches('/').count());
        let title = escaped(&self.entry().title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} – Sheave</title>\n<link rel=\"stylesheet\" href=\"{base}style.css\">\n\
             </head>\n<body data-base=\"{base}\">\n\
             <input type=\"checkbox\" id=\"menu\"><label for=\"menu\">Chapters</label>\n\
             <nav>\n<input type=\"search\" id=\"search\" placeholder=\"Search\" \
             aria-label=\"Search\"><ol id=\"found\"></ol>\n{}</nav>\n\
             <main>\n{}{}</main>\n<script src=\"{base}search.js\"></script>\n</body>\n</html>\n",
            self.list(&base),
            self.body(&base),
            self.neighbours(&base),
        )
    }

    /// The chapters of the book, this one marked.
    fn list(&self, base: &str) -> String {
        let mut list = String::from("<ul>\n");
        for (number, entry) in self.summary.entries.iter().enumerate() {
            if let Some(part) = &entry.part {
                list += &format!("<li class=\"part\">{}</li>\n", escaped(part));
            }
            let mark = if number == self.number {
                " aria-current=\"page\""
            } else {
                ""
            };
            list += &format!("<li>{}</li>\n", link(base, entry, mark));
        }
        list + "</ul>\n"
    }

    /// The text of the chapter; headings have anchors, links lead to files of the book.
    fn body(&self, base: &str) -> String {
        let mut anchors = headings(self.text).into_iter();
        let events = parser(self.text).map(|event| match event {
            Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
                level,
                id: anchors.next().map(|heading| heading.anchor.into()),
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => Event::Start(Tag::Link {
                link_type,
                dest_url: self.target(base, dest_url),
                title,
                id,
            }),
            other => other,
        });
        let mut body = String::new();
        html::push_html(&mut body, events);
        // Wide tables scroll by themselves.
        body.replace("<table>", "<div class=\"table\"><table>")
            .replace("</table>", "</table></div>")
    }

    /// A link of the page as one of the book.
    fn target<'a>(&self, base: &str, link: CowStr<'a>) -> CowStr<'a> {
        let resolved = resolve(&self.entry().page, &link).filter(|_| is_local(&link));
        let Some(path) = resolved else {
            return link;
        };
        let file = if self.summary.has(&path) {
            file_of(&path)
        } else {
            path
        };
        let anchor = link.find('#').map_or("", |at| &link[at..]);
        format!("{base}{file}{anchor}").into()
    }

    fn neighbours(&self, base: &str) -> String {
        let previous = self.number.checked_sub(1);
        let entry = |number: usize| self.summary.entries.get(number);
        let previous = previous.and_then(entry);
        let next = entry(self.number + 1);
        let link = |entry: Option<&Entry>, rel| {
            entry.map_or(String::new(), |entry| {
                link(base, entry, &format!(" rel=\"{rel}\""))
            })
        };
        format!(
            "<footer>{}{}</footer>\n",
            link(previous, "prev"),
            link(next, "next")
        )
    }
}

fn link(base: &str, entry: &Entry, attributes: &str) -> String {
    format!(
        "<a href=\"{base}{}\"{attributes}>{}</a>",
        file_of(&entry.page),
        escaped(&entry.title)
    )
}
