//! The body of a file of the program, for the web app and the page of the API's documentation.
//! It is sent in parts: a reader who stops reading costs the memory of one part, not of the whole file.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::Read;

use actix_web::body::{BoxBody, MessageBody, SizedStream};
use bytes::{Buf, Bytes};
use flate2::read::GzDecoder;
use futures_util::stream;

/// Bytes that wait for one reader, beside the buffers of the kernel.
const PART: usize = 32 * 1024;

/// A release build has its files inside and copies none. A debug build has read this one from the disk.
pub fn file_body(file: Cow<'static, [u8]>) -> BoxBody {
    let file = bytes_of(file);
    let length = file.len();
    let parts = (0..length)
        .step_by(PART)
        .map(move |start| Ok::<_, Infallible>(file.slice(start..length.min(start + PART))));
    SizedStream::new(u64::try_from(length).unwrap_or(u64::MAX), stream::iter(parts)).boxed()
}

/// The text of a gzip file, unpacked part by part.
pub fn unpacked_body(file: Cow<'static, [u8]>) -> BoxBody {
    let file = bytes_of(file);
    // The file ends with the length of its text (RFC 1952).
    let length = file.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let mut text = GzDecoder::new(file.reader());
    let parts = std::iter::from_fn(move || {
        let mut part = vec![0; PART];
        match text.read(&mut part) {
            Ok(0) => None,
            Ok(read) => {
                part.truncate(read);
                Some(Ok(Bytes::from(part)))
            }
            Err(error) => Some(Err(error)),
        }
    });
    SizedStream::new(length.into(), stream::iter(parts)).boxed()
}

fn bytes_of(file: Cow<'static, [u8]>) -> Bytes {
    match file {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::Write;
    use std::pin::Pin;

    use actix_web::body::BodySize;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// The parts of a body that says the length of the whole.
    async fn parts(mut body: BoxBody, whole: usize) -> Vec<Bytes> {
        assert_eq!(body.size(), BodySize::Sized(whole.try_into().unwrap()));
        let mut parts = Vec::new();
        while let Some(part) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
            parts.push(part.unwrap());
        }
        parts
    }

    #[actix_web::test]
    async fn a_file_goes_out_whole_and_in_parts() {
        let file: Vec<u8> = (0..=u8::MAX).cycle().take(3 * PART + 1).collect();
        let sent = parts(file_body(Cow::Owned(file.clone())), file.len()).await;
        let lengths: Vec<usize> = sent.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [PART, PART, PART, 1]);
        assert_eq!(sent.concat(), file);
    }

    #[actix_web::test]
    async fn a_compressed_file_goes_out_unpacked_and_in_parts() {
        let text: Vec<u8> = (0..=u8::MAX).cycle().take(3 * PART + 1).collect();
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&text).unwrap();
        let packed = packed.finish().unwrap();
        assert!(packed.len() < PART);
        let sent = parts(unpacked_body(Cow::Owned(packed)), text.len()).await;
        assert!(sent.iter().all(|part| part.len() <= PART));
        assert_eq!(sent.concat(), text);
    }
}
