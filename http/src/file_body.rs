//! The body of a file of the program, for the web app and the page of the API's documentation.
//! It is sent in parts: a reader who stops reading costs the memory of one part, not of the whole file.

use std::borrow::Cow;
use std::convert::Infallible;

use actix_web::body::{BoxBody, MessageBody, SizedStream};
use bytes::Bytes;
use futures_util::stream;

/// Bytes that wait for one reader, beside the buffers of the kernel.
const PART: usize = 32 * 1024;

/// A release build has its files inside and copies none. A debug build has read this one from the disk.
pub fn file_body(file: Cow<'static, [u8]>) -> BoxBody {
    let file = match file {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    let length = file.len();
    let parts = (0..length)
        .step_by(PART)
        .map(move |start| Ok::<_, Infallible>(file.slice(start..length.min(start + PART))));
    SizedStream::new(u64::try_from(length).unwrap_or(u64::MAX), stream::iter(parts)).boxed()
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use actix_web::body::BodySize;

    use super::*;

    #[actix_web::test]
    async fn a_file_goes_out_whole_and_in_parts() {
        let file: Vec<u8> = (0..=u8::MAX).cycle().take(3 * PART + 1).collect();
        let mut body = file_body(Cow::Owned(file.clone()));
        assert_eq!(body.size(), BodySize::Sized(file.len().try_into().unwrap()));
        let (mut sent, mut lengths) = (Vec::new(), Vec::new());
        while let Some(part) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
            let part = part.unwrap();
            lengths.push(part.len());
            sent.extend_from_slice(&part);
        }
        assert_eq!(lengths, [PART, PART, PART, 1]);
        assert_eq!(sent, file);
    }
}
