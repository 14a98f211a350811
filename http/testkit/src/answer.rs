//! What the server answered, and the proof that it is a success or a refusal of the contract.

/// What came back.
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    /// Null when the body is no JSON.
    pub body: serde_json::Value,
    pub text: String,
}

impl Answer {
    /// The code of a refusal.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// `data`, after proving that it is a success of that status.
    pub fn data(&self, status: u16) -> &serde_json::Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body["success"], true, "{}", self.text);
        &self.body["data"]
    }

    /// Proves a refusal.
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        assert_eq!(self.body["success"], false);
    }
}

/// Sends a request that a test built itself.
pub async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or_default();
    Answer { status, headers, body, text }
}
