//! Finds animations and cameras by what a user types.
//!
//! Why it exists: a name or an index is all that a command line has, and a wrong one deserves the list of right ones.

use super::{
    error::{Problem, SceneError},
    model::Scene,
};

/// A camera where the scene places it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedCamera {
    /// The node that carries the camera; its world transform is the camera's.
    pub node: usize,
    /// Index into [`Scene::cameras`].
    pub camera: usize,
}

impl Scene {
    /// The index of the animation with this name, or else with this index. Of several with one name the first is taken.
    ///
    /// # Errors
    /// No such animation; the message lists those that exist.
    pub fn find_animation(&self, wanted: &str) -> Result<usize, SceneError> {
        let names = self.animations.iter().map(|animation| animation.name.clone());
        let listed: Vec<_> = names.enumerate().collect();
        let by_name = listed.iter().position(|(_, name)| name.as_deref() == Some(wanted));
        let by_index = || wanted.parse().ok().filter(|index| *index < listed.len());
        by_name.or_else(by_index).ok_or_else(|| self.not_found("animation", wanted, &listed))
    }

    /// What [`find_animation`](Self::find_animation) finds, in words: `there are 0 'Idle', 1 'Walk'`.
    #[must_use]
    pub fn list_animations(&self) -> String {
        let names = self.animations.iter().map(|animation| animation.name.clone());
        available("animation", &names.enumerate().collect::<Vec<_>>())
    }

    /// The camera with this name (its own or its node's), or else with this index in the file, where a node of the
    /// scene carries it.
    ///
    /// # Errors
    /// No such camera; the message lists those that exist.
    pub fn find_camera(&self, wanted: &str) -> Result<PlacedCamera, SceneError> {
        let placed = self.placed_cameras();
        let by_node_name = || placed.iter().find(|placed| self.nodes[placed.node].name.as_deref() == Some(wanted));
        let by_camera_name =
            || placed.iter().find(|placed| self.cameras[placed.camera].name.as_deref() == Some(wanted));
        let by_index = || placed.iter().find(|placed| wanted.parse() == Ok(placed.camera));
        by_camera_name().or_else(by_node_name).or_else(by_index).copied().ok_or_else(|| {
            let name = |placed: &PlacedCamera| {
                let own = self.cameras[placed.camera].name.clone();
                (placed.camera, own.or_else(|| self.nodes[placed.node].name.clone()))
            };
            self.not_found("camera", wanted, &placed.iter().map(name).collect::<Vec<_>>())
        })
    }

    /// The cameras of the scene, in draw order.
    pub fn placed_cameras(&self) -> Vec<PlacedCamera> {
        let placed = |node: &usize| self.nodes[*node].camera.map(|camera| PlacedCamera { node: *node, camera });
        self.drawn.iter().filter_map(placed).collect()
    }

    /// A node that draws something, and a joint of its skin, in words: `fox.glb: node 2 'fox', joint 7 'neck'`.
    #[must_use]
    pub fn place(&self, node: usize, joint: Option<usize>) -> String {
        let name = |node: usize| match self.nodes.get(node).and_then(|node| node.name.as_ref()) {
            Some(name) => format!(" '{name}'"),
            None => String::new(),
        };
        let mut place = if self.source.file.is_empty() { String::new() } else { format!("{}: ", self.source.file) };
        place += &format!("node {node}{}", name(node));
        if let Some(joint) = joint {
            let skin = self.nodes.get(node).and_then(|node| self.skins.get(node.skin?));
            let of_skin = skin.and_then(|skin| skin.joints.get(joint)).map(|&joint| name(joint));
            place += &format!(", joint {joint}{}", of_skin.unwrap_or_default());
        }
        place
    }

    /// The error that lists what exists, by index and name.
    fn not_found(&self, what: &'static str, wanted: &str, listed: &[(usize, Option<String>)]) -> SceneError {
        let available = available(what, listed);
        SceneError {
            file: self.source.file.clone(),
            place: String::new(),
            problem: Problem::NotFound { what, wanted: wanted.to_owned(), available },
        }
    }
}

/// What there is, by index and name.
fn available(what: &str, listed: &[(usize, Option<String>)]) -> String {
    let entry = |(index, name): &(usize, Option<String>)| match name {
        Some(name) => format!("{index} '{name}'"),
        None => index.to_string(),
    };
    let list: Vec<String> = listed.iter().map(entry).collect();
    if list.is_empty() { format!("the scene has no {what}s") } else { format!("there are {}", list.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::{
        super::model::{Animation, Camera, Node, Projection, Source},
        *,
    };

    fn scene() -> Scene {
        let animation = |name: Option<&str>| Animation { name: name.map(str::to_owned), ..Animation::default() };
        let projection = Projection::Orthographic { xmag: 1.0, ymag: 1.0, znear: 0.0, zfar: 1.0 };
        let camera = |name: Option<&str>| Camera { name: name.map(str::to_owned), projection };
        Scene {
            source: Source { file: "fox.glb".to_owned(), ..Source::default() },
            animations: vec![animation(Some("Survey")), animation(Some("0")), animation(None)],
            cameras: vec![camera(Some("unplaced")), camera(None), camera(Some("side"))],
            nodes: vec![
                Node { camera: Some(2), ..Node::default() },
                Node { name: Some("front".to_owned()), camera: Some(1), ..Node::default() },
            ],
            drawn: vec![0, 1],
            ..Scene::default()
        }
    }

    #[test]
    fn names_come_before_indices() {
        let scene = scene();
        assert_eq!(scene.find_animation("Survey").unwrap(), 0);
        assert_eq!(scene.find_animation("0").unwrap(), 1);
        assert_eq!(scene.find_animation("2").unwrap(), 2);
        let message = scene.find_animation("Walk").unwrap_err().to_string();
        assert_eq!(
            message,
            "fox.glb: there is no animation 'Walk'; there are 0 'Survey', 1 '0', 2; give one of these names or indices"
        );
        assert!(scene.find_animation("3").is_err());
    }

    #[test]
    fn a_joint_is_named_with_its_file_and_node() {
        let mut scene = scene();
        scene.skins = vec![super::super::model::Skin { joints: vec![0, 1], ..Default::default() }];
        scene.nodes[0].skin = Some(0);
        assert_eq!(scene.place(0, Some(1)), "fox.glb: node 0, joint 1 'front'");
        assert_eq!(scene.place(1, None), "fox.glb: node 1 'front'");
        assert_eq!(scene.place(0, Some(9)), "fox.glb: node 0, joint 9");
    }

    #[test]
    fn cameras_are_found_by_their_own_name_their_nodes_or_index() {
        let scene = scene();
        assert_eq!(scene.find_camera("side").unwrap(), PlacedCamera { node: 0, camera: 2 });
        assert_eq!(scene.find_camera("front").unwrap(), PlacedCamera { node: 1, camera: 1 });
        assert_eq!(scene.find_camera("1").unwrap(), PlacedCamera { node: 1, camera: 1 });
        let message = scene.find_camera("unplaced").unwrap_err().to_string();
        assert!(message.contains("there are 2 'side', 1 'front';"), "{message}");
    }
}
