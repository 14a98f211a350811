//! The file that goes with a mail. It is drawn when the mail is sent: the queue keeps what the document says, and the
//! same document gives the same bytes in every try.

use lettre::message::header::ContentType;
use lettre::message::{Attachment, SinglePart};

use super::Message;
use crate::error::{Error, Result};
use crate::pdf::render;

pub(super) struct PdfAttachment {
    pub name: String,
    content: Vec<u8>,
}

impl PdfAttachment {
    /// None where the message is about no document, or where it cannot be drawn: the mail leads to it all the same.
    ///
    /// # Errors
    /// `Internal` when the drawing was given up.
    pub async fn of(message: &Message) -> Result<Option<Self>> {
        let Some(invoice) = message.document() else { return Ok(None) };
        let (id, name, sheet) = (invoice.id, invoice.file_name(), invoice.sheet());
        let drawn = tokio::task::spawn_blocking(move || render(&sheet)).await;
        match drawn.map_err(Error::internal)? {
            Ok(content) => Ok(Some(Self { name, content })),
            Err(error) => {
                tracing::error!(invoice = %id, %error, "a mail goes without its document");
                Ok(None)
            }
        }
    }

    pub fn part(self) -> SinglePart {
        let kind = ContentType::parse("application/pdf").unwrap_or(ContentType::TEXT_PLAIN);
        Attachment::new(self.name).body(self.content, kind)
    }
}
